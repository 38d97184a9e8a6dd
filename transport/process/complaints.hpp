#pragma once
/// How much of what a child writes to its standard error is logged: a few lines at once, then some
/// a second. What is left out is counted, and told with the next line that is not. Pure; a CHILD
/// has one.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::process {

class complaints {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// May this line be logged?
  bool admit(time_point now) {
    if (exhausted(now)) {
      ++dropped_;
      return false;
    }
    left_ -= 1;
    return true;
  }
  /// Nothing would be admitted now.
  bool exhausted(time_point now) {
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(limits::child_complaints_at_once,
                     left_ + passed.count() * limits::child_complaints_per_second);
    return left_ < 1;
  }
  /// So many lines were not even asked about.
  void drop(std::size_t lines) { dropped_ += lines; }
  /// Lines that were not admitted, since this was asked last.
  std::size_t take_dropped() { return std::exchange(dropped_, 0); }

 private:
  time_point last_{};
  double left_ = limits::child_complaints_at_once;
  std::size_t dropped_ = 0;
};

}  // namespace gate::process
