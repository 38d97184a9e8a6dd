#pragma once
/// ALARM: when a session wants to be woken next. UPSTREAM keeps one timer for all its sessions;
/// each tells it of an earlier time than the one that it told last. Pure; part of UPSTREAM SESSION.
#include <chrono>
#include <utility>

#include "actors/upstream/session_doors.hpp"

namespace gate::upstream {

class alarm {
 public:
  using time_point = session_doors::time_point;
  static constexpr auto never = time_point::max();

  explicit alarm(session_doors& doors) : doors_(doors) {}

  void set(time_point at) {
    if (at >= at_) return;
    at_ = at;
    doors_.wake_at(at);
  }
  /// It rings for this time. False: an earlier one was asked for since.
  bool rings(time_point at) {
    if (at != at_) return false;
    at_ = never;
    return true;
  }

 private:
  session_doors& doors_;
  time_point at_ = never;
};

}  // namespace gate::upstream
