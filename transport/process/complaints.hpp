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
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(limits::child_complaints_at_once,
                     left_ + passed.count() * limits::child_complaints_per_second);
    if (left_ < 1) {
      ++dropped_;
      return false;
    }
    left_ -= 1;
    return true;
  }
  /// Lines that were not admitted, since this was asked last.
  std::size_t take_dropped() { return std::exchange(dropped_, 0); }
  /// Nothing is admitted at the moment: there is no hurry to read more.
  bool exhausted() const { return left_ < 1; }

 private:
  time_point last_{};
  double left_ = limits::child_complaints_at_once;
  std::size_t dropped_ = 0;
};

}  // namespace gate::process
