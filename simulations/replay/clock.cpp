#include "simulations/replay/clock.hpp"

#include <charconv>

namespace gate::replay {
namespace {

/// The digits at this place; -1 if they are none.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return -1;
  int out = -1;
  const auto* end = text.data() + at + count;
  const auto read = std::from_chars(text.data() + at, end, out);
  return read.ec == std::errc{} && read.ptr == end ? out : -1;
}

}  // namespace

std::chrono::system_clock::time_point started_at(std::string_view text) {
  using namespace std::chrono;
  const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
  if (y < 0 || mo < 0 || d < 0 || h < 0 || mi < 0 || s < 0) return {};
  const year_month_day day{year{y}, month{static_cast<unsigned>(mo)},
                           std::chrono::day{static_cast<unsigned>(d)}};
  if (!day.ok()) return {};
  system_clock::time_point out = sys_days{day} + hours{h} + minutes{mi} + seconds{s};
  if (text.size() <= 20 || text[19] != '.') return out;
  int micros = 0, places = 0;
  for (std::size_t i = 20; i < text.size() && places < 6; ++i, ++places) {
    if (text[i] < '0' || text[i] > '9') break;
    micros = micros * 10 + (text[i] - '0');
  }
  for (; places < 6; ++places) micros *= 10;
  return out + microseconds{micros};
}

}  // namespace gate::replay
