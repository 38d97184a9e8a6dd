#pragma once
/// How long a piece of work may last. Silence is what ends it: whatever the upstream says within it
/// starts its time anew, but not beyond a most in all. While the client is asked something it is
/// not the upstream's turn, and that time does not count. Pure; part of `work`.
///
///                     `deadline`                              the most in all ends
///   it begins         after `silence`                         after `most`
///   something came    after `silence`, or at the most in all  -
///   the client is     after `limits::question`, at least      -
///   asked
///   it has answered   as if something came                    later by what that took
#include <algorithm>
#include <chrono>
#include <optional>

#include "protocol/limits.hpp"

namespace gate::upstream {

struct call_time {
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  time_point deadline{}, latest{};
  milliseconds silence{0};
  std::optional<time_point> asking;  ///< since when it is the client's turn

  void begin(time_point now, milliseconds silent, milliseconds most) {
    silence = silent;
    deadline = now + silence;
    latest = now + std::max(most, silence);
  }
  void said(time_point now) {
    if (!asking) deadline = std::min(now + silence, latest);
  }
  void ask(time_point now) {
    if (!asking) asking = now;
    deadline = std::max<time_point>(deadline, now + limits::question);
  }
  void answered(time_point now) {
    if (asking) latest += now - *asking;
    asking.reset();
    said(now);
  }
};

}  // namespace gate::upstream
