#include "protocol/http/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gate::http {
namespace {

using std::chrono::seconds;

/// What nobody waits longer than.
constexpr seconds most = std::chrono::hours{24 * 366};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> number(std::string_view text) {
  int out = 0;
  const auto end = text.data() + text.size();
  const auto [at, wrong] = std::from_chars(text.data(), end, out);
  if (text.empty() || text.front() == '-' || wrong != std::errc{} || at != end) return {};
  return out;
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<std::chrono::sys_seconds> date(std::string_view text) {
  constexpr std::string_view form = "---, -- --- ---- --:--:-- GMT";
  if (text.size() != form.size()) return {};
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] != '-' && form[i] != text[i]) return {};
  const auto month = std::ranges::find(months, text.substr(8, 3));
  const auto day = number(text.substr(5, 2)), year = number(text.substr(12, 4)),
             hour = number(text.substr(17, 2)), minute = number(text.substr(20, 2)),
             second = number(text.substr(23, 2));
  if (month == months.end() || !day || !year || !hour || !minute || !second) return {};
  const std::chrono::year_month_day on{
      std::chrono::year{*year},
      std::chrono::month{static_cast<unsigned>(month - months.begin() + 1)},
      std::chrono::day{static_cast<unsigned>(*day)}};
  if (!on.ok() || *hour > 23 || *minute > 59 || *second > 60) return {};
  return std::chrono::sys_days{on} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
         seconds{*second};
}

}  // namespace

std::optional<seconds> read_retry_after(std::string_view text,
                                        std::chrono::system_clock::time_point now) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (digits) {
    const auto said = number(text);
    return said ? std::min(seconds{*said}, most) : most;  // more than a number holds
  }
  const auto then = date(text);
  if (!then) return {};
  // In seconds: the nanoseconds of `now` do not reach all the years that a date can name.
  return std::clamp(*then - std::chrono::floor<seconds>(now), seconds{0}, most);
}

}  // namespace gate::http
