#pragma once
/// What can be broken on purpose in a story of `gate-stdio`, and which checker must say so. Asked
/// by who runs stories and by tests.
#include <span>
#include <string_view>

#include "simulations/stories/shim_evidence.hpp"

namespace gate::shim_churn {

struct planted {
  canary what;
  std::string_view name;
  std::string_view complaint;  ///< how one of the complaints must begin
  std::string_view about;
};
std::span<const planted> canaries();
/// Is there something in this story for which it would be wrong?
bool suits(const scenario& s, const planted& p);

}  // namespace gate::shim_churn
