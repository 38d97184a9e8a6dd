#include "protocol/webhook/times.hpp"

#include <charconv>

#include "protocol/http/ascii.hpp"

namespace gate::webhook {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Takes exactly `count` digits off the text; nothing: there are others.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  const auto digits = text.substr(0, count);
  if (digits.size() != count || !http::all_digits(digits)) return {};
  int out = 0;
  std::from_chars(digits.data(), digits.data() + count, out);
  text.remove_prefix(count);
  return out;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || http::lower(text.front()) != c) return false;
  text.remove_prefix(1);
  return true;
}

/// A number, and what must stand behind it.
std::optional<int> take_part(std::string_view& text, std::size_t count, char behind) {
  const auto out = take_number(text, count);
  if (!out || !take_char(text, behind)) return {};
  return out;
}

/// `.123456`, or nothing of it.
std::optional<milliseconds> take_fraction(std::string_view& text) {
  if (!take_char(text, '.')) return milliseconds{0};
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (digits.empty()) return {};
  text.remove_prefix(digits.size());
  int out = 0;
  for (std::size_t i = 0; i < 3; ++i) out = out * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return milliseconds{out};
}

/// `Z` or `+01:30`, to the end.
std::optional<minutes> take_offset(std::string_view text) {
  if (take_char(text, 'z')) return text.empty() ? std::optional(minutes{0}) : std::nullopt;
  const bool west = text.starts_with('-');
  if (!west && !text.starts_with('+')) return {};
  text.remove_prefix(1);
  const auto hour = take_part(text, 2, ':');
  const auto minute = take_number(text, 2);
  if (!hour || !minute || !text.empty() || *hour > 23 || *minute > 59) return {};
  const auto out = hours{*hour} + minutes{*minute};
  return west ? -out : out;
}

}  // namespace

std::optional<wall_time> read_time(std::string_view text) noexcept {
  using namespace std::chrono;
  constexpr sys_days first{year{1970} / 1 / 1}, end{year{2200} / 1 / 1};
  const auto y = take_part(text, 4, '-'), m = take_part(text, 2, '-'), d = take_part(text, 2, 't');
  const auto hour = take_part(text, 2, ':'), minute = take_part(text, 2, ':');
  const auto second = take_number(text, 2);
  if (!y || !m || !d || !hour || !minute || !second) return {};
  if (*hour > 23 || *minute > 59 || *second > 60) return {};
  const year_month_day on{year{*y}, month{static_cast<unsigned>(*m)},
                          day{static_cast<unsigned>(*d)}};
  const auto fraction = take_fraction(text);
  const auto offset = take_offset(text);
  if (!on.ok() || !fraction || !offset) return {};
  const wall_time out =
      sys_days{on} + hours{*hour} + minutes{*minute} + seconds{*second} + *fraction - *offset;
  if (out < first || out >= end) return {};
  return out;
}

}  // namespace gate::webhook
