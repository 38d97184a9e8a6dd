#include "protocol/base/base64.hpp"

#include <algorithm>

#include "protocol/base/base64url.hpp"

namespace gate {

// In terms of base64url: it differs in two digits.
std::string base64_encode(std::string_view bytes) {
  auto out = base64url_encode(bytes);
  std::ranges::replace(out, '-', '+');
  std::ranges::replace(out, '_', '/');
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0 || text.find_first_of("-_") != text.npos) return {};
  std::string plain(text.substr(0, std::min(text.find('='), text.size())));
  if ((4 - plain.size() % 4) % 4 != text.size() - plain.size()) return {};
  if (text.find_first_not_of('=', plain.size()) != text.npos) return {};
  std::ranges::replace(plain, '+', '-');
  std::ranges::replace(plain, '/', '_');
  return base64url_decode(plain);
}

}  // namespace gate
