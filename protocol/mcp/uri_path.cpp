#include "protocol/mcp/uri_path.hpp"

#include "protocol/http/ascii.hpp"

namespace gate::mcp {
namespace {

/// `%2e`, `%2f`, `%5c`, and escaped control characters.
bool is_escape_with_meaning(std::string_view rest) {
  if (rest.size() < 3) return false;
  const char high = rest[1], low = http::lower(rest[2]);
  return high == '0' || high == '1' || (high == '2' && (low == 'e' || low == 'f')) ||
         (high == '5' && low == 'c') || (high == '7' && low == 'f');
}

bool is_dots(std::string_view segment) {
  return segment == "." || segment == "..";
}

}  // namespace

bool has_two_readings(std::string_view uri) noexcept {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= uri.size(); ++i) {
    const char c = i < uri.size() ? uri[i] : '/';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return true;
    if (c == '%' && is_escape_with_meaning(uri.substr(i))) return true;
    if (c != '/' && c != '?' && c != '#') continue;
    if (is_dots(uri.substr(begin, i - begin))) return true;
    begin = i + 1;
  }
  return false;
}

}  // namespace gate::mcp
