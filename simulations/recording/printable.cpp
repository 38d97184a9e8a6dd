#include "simulations/recording/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace gate::recording {
namespace {

struct span_of_codes {
  char32_t first, last;
};

/// They take no room of their own, and change what is around them.
constexpr std::array hidden{
    span_of_codes{0, 0x1f},        span_of_codes{0x7f, 0x9f},     span_of_codes{0xad, 0xad},
    span_of_codes{0x61c, 0x61c},   span_of_codes{0x180e, 0x180e}, span_of_codes{0x200b, 0x200f},
    span_of_codes{0x2028, 0x202e}, span_of_codes{0x2060, 0x206f}, span_of_codes{0xfe00, 0xfe0f},
    span_of_codes{0xfeff, 0xfeff}, span_of_codes{0xfff9, 0xfffb}, span_of_codes{0xe0000, 0xe0fff}};

constexpr std::array wide{span_of_codes{0x1100, 0x115f},   span_of_codes{0x2e80, 0x303e},
                          span_of_codes{0x3041, 0xa4cf},   span_of_codes{0xac00, 0xd7a3},
                          span_of_codes{0xf900, 0xfaff},   span_of_codes{0xfe30, 0xfe6f},
                          span_of_codes{0xff00, 0xff60},   span_of_codes{0xffe0, 0xffe6},
                          span_of_codes{0x1f300, 0x1faff}, span_of_codes{0x20000, 0x3fffd}};

template <class Spans>
bool within(const Spans& all, char32_t c) {
  return std::ranges::any_of(all, [c](const auto& s) { return c >= s.first && c <= s.last; });
}

struct character {
  char32_t code = 0;
  std::size_t size = 0;  ///< in bytes; 0: this is no UTF-8
};

character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (size == 0 || lead > 0xf4) return {};
  char32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, size};
}

std::string escaped(const char* form, unsigned value) {
  std::array<char, 16> out{};
  std::snprintf(out.data(), out.size(), form, value);
  return out.data();
}

std::size_t width_of(char32_t c) {
  if (c >= 0x300 && c <= 0x36f) return 0;  // they stand above the character before
  return within(wide, c) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto c = first_of(text);
    if (c.size == 0) {
      out += escaped("\\x%02x", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (within(hidden, c.code))
      out += escaped(c.code > 0xffff ? "\\U%08x" : "\\u%04x", static_cast<unsigned>(c.code));
    else
      out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t out = 0;
  while (!text.empty()) {
    const auto c = first_of(text);
    out += c.size == 0 ? 1 : width_of(c.code);
    text.remove_prefix(std::max<std::size_t>(c.size, 1));
  }
  return out;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::size_t at = 0, room = columns == 0 ? 0 : columns - 1;
  while (at < text.size()) {
    const auto c = first_of(text.substr(at));
    const auto width = c.size == 0 ? 1 : width_of(c.code);
    if (width > room) break;
    room -= width;
    at += std::max<std::size_t>(c.size, 1);
  }
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace gate::recording
