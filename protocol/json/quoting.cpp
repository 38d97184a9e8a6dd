// Strings as JSON has them.
#include "protocol/json/scan.hpp"
#include "protocol/json/special.hpp"

namespace gate::json {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  constexpr std::string_view digits = "0123456789abcdef";
  out += '\\';
  if (auto i = plain.find(c); i != plain.npos) {
    out += letters[i];
  } else {
    out += "u00";
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[c & 0xF];
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  out += '"';
  for (;;) {
    const char* run = p;
    p = find_special<true>(p, end);
    out.append(run, static_cast<std::size_t>(p - run));
    if (p == end) break;
    if (static_cast<unsigned char>(*p) < 0x80) {
      append_escaped(out, *p++);
    } else if (const auto length = utf8_length(p, end)) {
      out.append(p, length);
      p += length;
    } else {
      out += "\xEF\xBF\xBD";  // U+FFFD
      ++p;
    }
  }
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

}  // namespace gate::json
