#pragma once
/// ASCII comparisons that ignore the locale: header names, host names and media types have none.
#include <algorithm>
#include <string>
#include <string_view>

namespace gate::http {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

constexpr bool same_text(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

constexpr bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Without blanks and tabs at both ends (RFC 9110 §5.6.3, OWS).
constexpr std::string_view trim(std::string_view text) noexcept {
  auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace gate::http
