#pragma once
/// The calendar of budgets: hours, days and months of UTC, without time zones and without the
/// system's help. Pure; part of BUDGET.
#include <chrono>
#include <string>

#include "config/document.hpp"

namespace gate::guards {

struct calendar_period {
  std::chrono::system_clock::time_point begin, end;  ///< the end is the next one's begin
  bool operator==(const calendar_period&) const = default;
};

/// The period that contains an instant.
calendar_period period_of(config::budget_period kind, std::chrono::system_clock::time_point t);

/// `2026-12-01T00:00:00Z`, whole seconds.
std::string rfc3339(std::chrono::system_clock::time_point t);

}  // namespace gate::guards
