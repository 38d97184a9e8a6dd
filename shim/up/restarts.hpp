#pragma once
/// When a program that has ended is started again: at once it would only end again. Pure.
#include <algorithm>
#include <chrono>

#include "protocol/limits/client_files.hpp"

namespace gate::up {

class restarts {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void started(time_point now) { since_ = now; }
  /// How long to wait: twice as long as last time, unless it has run for long.
  std::chrono::milliseconds ended(time_point now) {
    if (now - since_ >= limits::program_restart_most) pause_ = limits::program_restart_least;
    const auto out = pause_;
    pause_ = std::min(2 * pause_, limits::program_restart_most);
    return out;
  }

 private:
  time_point since_{};
  std::chrono::milliseconds pause_ = limits::program_restart_least;
};

}  // namespace gate::up
