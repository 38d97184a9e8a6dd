#include "actors/doctor/words.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "protocol/http/ascii.hpp"
#include "protocol/http/retry_after.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::doctor {

std::string printable(std::string_view said) {
  const bool cut = said.size() > limits::doctor_quoted_bytes;
  std::string out(said.substr(0, limits::doctor_quoted_bytes));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  if (cut) out += "...";
  return out;
}

std::string in_quotes(std::string_view said) {
  return '"' + printable(said) + '"';
}

std::string listed(const std::vector<std::string>& names, const notes& by) {
  std::string out;
  const auto shown = std::min(names.size(), limits::doctor_names);
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "" : ", ") + in_quotes(by.clean(names[i]));
  if (names.size() > shown) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + ' ' + std::string(what) + (n == 1 ? "" : "s");
}

std::string in_milliseconds(std::chrono::microseconds t) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(t).count();
  return whole < 1 ? "less than 1 ms" : std::to_string(whole) + " ms";
}

std::string on_day(std::chrono::sys_seconds t) {
  const std::chrono::year_month_day d(std::chrono::floor<std::chrono::days>(t));
  std::array<char, 40> out{};
  const auto n = std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(d.year()),
                               static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
  return {out.data(), static_cast<std::size_t>(n)};
}

std::optional<std::chrono::system_clock::time_point> read_date(
    std::string_view header, std::chrono::system_clock::time_point now) {
  if (http::all_digits(header)) return std::nullopt;
  // What is read is a time to wait: none is negative, and none is longer than some.
  constexpr std::chrono::days half_a_year{182};
  const auto begin = now - half_a_year;
  const auto since = http::read_retry_after(header, begin);
  if (!since) return std::nullopt;
  return std::min(begin + *since, now + half_a_year);
}

}  // namespace gate::doctor
