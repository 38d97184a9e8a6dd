#include "config/problem.hpp"

#include "protocol/limits.hpp"

namespace gate::config {
namespace {

/// The beginning of `key` if it is too long, to the last whole character.
std::string_view beginning(std::string_view key) {
  auto size = limits::pointer_key_bytes;
  while (size > 0 && (static_cast<unsigned char>(key[size]) & 0xc0) == 0x80) --size;
  return key.substr(0, size);
}

}  // namespace

std::string to_line(const config_problem& p) {
  return p.pointer.empty() ? p.what : p.pointer + ": " + p.what;
}

std::string join_pointer(std::string_view base, std::string_view key) {
  std::string out(base);
  out += '/';
  const bool whole = key.size() <= limits::pointer_key_bytes;
  for (char c : whole ? key : beginning(key)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  if (!whole) out += "...";
  return out;
}

}  // namespace gate::config
