#pragma once
/// When the log is to hear that credentials can not be had, and that they can again: some callers'
/// tokens may fail while those of others do not, and that is one outage, not one for each time they
/// take turns. Time is a parameter. Pure; part of CREDENTIALS.
///
///   state     one fails             one succeeds                        nobody fails for a while
///   well      outage: told          well                                well
///   outage    outage                well (told), if all that failed     with the next success:
///   well
///                                   have succeeded since
#include <chrono>
#include <cstdint>
#include <unordered_set>

#include "protocol/limits.hpp"

namespace gate::upstream {

class outage {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// True: it begins.
  bool failed(std::uint64_t who, time_point now) {
    const bool begins = !lasts_ || now >= last_ + limits::credential_outage;
    if (begins) failing_.clear();
    lasts_ = true;
    last_ = now;
    // Beyond the bound it is not known who failed: then it ends by its time only.
    if (failing_.size() < limits::credential_outage_callers)
      failing_.insert(who);
    else
      overflows_ = true;
    return begins;
  }
  /// True: it is over.
  bool succeeded(std::uint64_t who, time_point now) {
    if (!lasts_) return false;
    failing_.erase(who);
    if ((!failing_.empty() || overflows_) && now < last_ + limits::credential_outage) return false;
    failing_.clear();
    lasts_ = overflows_ = false;
    return true;
  }

 private:
  bool lasts_ = false, overflows_ = false;
  time_point last_{};  ///< when somebody failed
  std::unordered_set<std::uint64_t> failing_;
};

}  // namespace gate::upstream
