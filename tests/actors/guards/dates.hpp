#pragma once
/// Moments as people write them, for tests of calendars and budgets.
#include <chrono>

namespace gate::guards {

/// A moment by its date, in UTC.
inline std::chrono::system_clock::time_point at(int y, unsigned m, unsigned d,
                                                std::chrono::system_clock::duration rest = {}) {
  using namespace std::chrono;
  return sys_days{year{y} / month{m} / day{d}} + rest;
}

}  // namespace gate::guards
