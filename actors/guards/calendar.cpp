#include "actors/guards/calendar.hpp"

#include <string_view>

#include "protocol/audit/event.hpp"

namespace gate::guards {

using namespace std::chrono;

calendar_period period_of(config::budget_period kind, system_clock::time_point t) {
  switch (kind) {
    case config::budget_period::hour: {
      const auto hour = floor<hours>(t);
      return {hour, hour + hours{1}};
    }
    case config::budget_period::day: {
      const auto day = floor<days>(t);
      return {day, day + days{1}};
    }
    case config::budget_period::month:
      break;
  }
  const year_month_day date(floor<days>(t));
  const auto month = date.year() / date.month();
  return {sys_days{month / 1}, sys_days{(month + months{1}) / 1}};
}

std::string rfc3339(system_clock::time_point t) {
  static constexpr std::string_view milliseconds = ".000Z";
  auto out = audit::rfc3339(floor<seconds>(t));
  out.replace(out.size() - milliseconds.size(), milliseconds.size(), "Z");
  return out;
}

}  // namespace gate::guards
