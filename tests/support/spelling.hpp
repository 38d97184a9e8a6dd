#pragma once
/// The same JSON in the spellings that real peers use: as it is, with `\/` (PHP and Swift write it
/// so by default), and with every letter as `\uXXXX`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::sim {

enum class spelling : std::uint8_t { plain, slashes, unicode };
inline constexpr std::array spellings{spelling::plain, spelling::slashes, spelling::unicode};

/// `json`, which must have no escapes of these kinds yet. Keys are strings as well.
inline std::string respelled(std::string_view json, spelling how) {
  constexpr std::string_view digits = "0123456789aBcDeF";
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inside && c == '\\') {
      out.append(json.substr(i++, 2));
      continue;
    }
    if (c == '"') inside = !inside;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (inside && how == spelling::slashes && c == '/') {
      out += "\\/";
    } else if (inside && how == spelling::unicode && (letter || c == '/' || c == '_')) {
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[c & 0xF];
    } else {
      out += c;
    }
  }
  return out;
}

/// Undoes it, wherever such escapes stand.
inline std::string plain(std::string_view text) {
  const auto hex = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = text.substr(i);
    if (rest.starts_with("\\/")) {
      out += '/';
      ++i;
    } else if (rest.starts_with("\\u00") && rest.size() >= 6) {
      out += static_cast<char>(hex(rest[4]) << 4 | hex(rest[5]));
      i += 5;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace gate::sim
