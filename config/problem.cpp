#include "config/problem.hpp"

namespace gate::config {

std::string to_line(const config_problem& p) {
  if (p.what == unsupported_sentence) return p.what + ": " + p.pointer;
  return p.pointer.empty() ? p.what : p.pointer + ": " + p.what;
}

std::string join_pointer(std::string_view base, std::string_view key) {
  std::string out(base);
  out += '/';
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace gate::config
