#include "simulations/recording/moment.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace gate::recording {
namespace {

using std::chrono::microseconds;

/// The digits from `at` on, `count` of them.
unsigned digits(std::string_view text, std::size_t at, std::size_t count) {
  unsigned out = 0;
  const auto part = text.substr(std::min(at, text.size()), count);
  std::from_chars(part.data(), part.data() + part.size(), out);
  return out;
}

}  // namespace

std::string later(std::string_view started, std::uint64_t at) {
  using namespace std::chrono;
  if (started.size() < 20 || started.back() != 'Z') return {};
  const year_month_day day(year(static_cast<int>(digits(started, 0, 4))),
                           month(digits(started, 5, 2)), std::chrono::day(digits(started, 8, 2)));
  if (!day.ok()) return {};
  std::string fraction(started.substr(19, started.size() - 20));
  if (!fraction.empty()) fraction.erase(0, 1);
  fraction.resize(6, '0');
  const auto begun = sys_days(day) + hours(digits(started, 11, 2)) +
                     minutes(digits(started, 14, 2)) + seconds(digits(started, 17, 2)) +
                     microseconds(digits(fraction, 0, 6));
  const auto now = begun + microseconds(static_cast<std::int64_t>(at));
  const auto midnight = floor<days>(now);
  const year_month_day date(midnight);
  const hh_mm_ss clock(duration_cast<microseconds>(now - midnight));
  std::array<char, 64> out{};
  std::snprintf(
      out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return out.data();
}

}  // namespace gate::recording
