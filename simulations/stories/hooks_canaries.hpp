#pragma once
/// What can be broken on purpose in a story of `gate-hooks`, and which checker must say so. Asked
/// by who runs stories and by tests.
#include <span>
#include <string_view>

#include "simulations/stories/hooks_evidence.hpp"

namespace gate::hook_churn {

struct planted {
  canary what;
  std::string_view name;
  std::string_view complaint;  ///< how one of the complaints must begin
  std::string_view about;
};
std::span<const planted> canaries();

}  // namespace gate::hook_churn
