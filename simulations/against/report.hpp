#pragma once
/// What came of sending a recording to a live gateway. Pure.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulations/against/plan.hpp"

namespace gate::against {

class report {
 public:
  /// An exchange is over: how it went now, and how long it took, in µs.
  void add(const exchange& x, const std::string& outcome, std::uint64_t took);
  /// It was sent so much later than it should have been, since others were not over.
  void late(std::uint64_t by) { latest_ = std::max(latest_, by); }
  /// It was not sent: its session did not come to be.
  void add_unsent(const exchange& x);

  std::uint64_t differ() const { return differ_; }
  std::string text(const plan& p, bool interrupted) const;
  std::string json(const plan& p, bool interrupted) const;

 private:
  struct change {
    std::uint64_t count = 0;
    std::string example;
  };
  std::uint64_t sent_ = 0, equal_ = 0, differ_ = 0, left_ = 0, unsent_ = 0, latest_ = 0;
  std::map<std::pair<std::string, std::string>, change> changes_;
  std::vector<std::uint64_t> live_, recorded_;  ///< of those that were answered then and now
};

/// The value that so many of a thousand are not above; 0 of none. Sorts.
std::uint64_t quantile(std::vector<std::uint64_t>& values, unsigned of_thousand);

}  // namespace gate::against
