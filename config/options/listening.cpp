#include "config/options/listening.hpp"

#include "protocol/http/url.hpp"

namespace gate::config {

bool is_loopback(std::string_view host) {
  // A name below localhost is looked up like any other.
  if (host.ends_with(".localhost")) return false;
  http::url u;
  u.host = host;
  return u.loopback();
}

std::string url_of(std::string_view host, std::uint16_t port) {
  std::string out = "http://";
  if (host.find(':') == host.npos)
    out += host;
  else
    out.append("[").append(host).append("]");
  return out + ':' + std::to_string(port);
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace gate::config
