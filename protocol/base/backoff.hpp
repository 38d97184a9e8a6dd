#pragma once
/// How long to wait before a crashed actor is started again: a pause that doubles each time, and is
/// small again once the actor has lived for a while. Pure; whoever starts actors again keeps one
/// for each.
#include <algorithm>
#include <chrono>

#include "protocol/limits.hpp"

namespace gate {

class backoff {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void born(time_point now) { born_ = now; }
  /// It has crashed.
  std::chrono::milliseconds next(time_point now) {
    if (now - born_ >= limits::restart_good) pause_ = std::chrono::milliseconds{0};
    pause_ = std::clamp<std::chrono::milliseconds>(pause_ * 2, limits::restart_first,
                                                   limits::restart_most);
    return pause_;
  }

 private:
  std::chrono::milliseconds pause_{0};
  time_point born_{};
};

}  // namespace gate
