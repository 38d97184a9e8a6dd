#include "protocol/http/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/http/address.hpp"
#include "protocol/http/ascii.hpp"

namespace gate::http {

namespace {

constexpr std::size_t host_bytes = 253;  // the longest name DNS can carry

/// What is wrong with a host name or IPv4 address, or empty.
std::string_view name_problem(std::string_view host) {
  if (host.empty()) return "the host is empty";
  if (host.size() > host_bytes) return "the host is too long";
  for (char c : host)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'))
      return "the host contains a character that host names do not have";
  if (host.front() == '.' || host.find("..") != host.npos) return "the host has an empty label";
  // Resolvers read `127.1`, `0x7f000001` and `2130706433` as addresses; only the plain form is one.
  auto trimmed = host.substr(0, host.find_last_not_of('.') + 1);
  auto label = trimmed.substr(trimmed.rfind('.') + 1);
  if ((all_digits(label) || label.starts_with("0x")) && !read_ipv4(host))
    return "the host is not a valid IPv4 address";
  return {};
}

std::string bracketed(const std::string& host) {
  return host.find(':') == host.npos ? host : '[' + host + ']';
}

/// Reads `host[:port]` into `u`; what is wrong with it, or empty.
std::string_view read_authority(std::string_view text, url& u) {
  if (text.find('@') != text.npos) return "user information is not allowed in a URL";
  std::string_view rest;
  if (text.starts_with('[')) {
    auto end = text.find(']');
    if (end == text.npos) return "the host is not a valid IPv6 address";
    u.host = lower(text.substr(1, end - 1));
    if (!read_ipv6(u.host)) return "the host is not a valid IPv6 address";
    rest = text.substr(end + 1);
  } else {
    u.host = lower(text.substr(0, text.find(':')));
    if (auto wrong = name_problem(u.host); !wrong.empty()) return wrong;
    rest = text.substr(u.host.size());
  }
  if (rest.empty()) return {};
  if (rest.front() != ':') return "something follows the host";
  rest.remove_prefix(1);
  auto end = rest.data() + rest.size();
  if (!all_digits(rest) || std::from_chars(rest.data(), end, u.port).ec != std::errc{} ||
      u.port == 0)
    return "the port is not a number from 1 to 65535";
  return {};
}

}  // namespace

std::string url::authority() const {
  auto out = bracketed(host);
  if (port != (tls ? 443 : 80)) out += ':' + std::to_string(port);
  return out;
}

std::string url::origin() const {
  return (tls ? "https://" : "http://") + bracketed(host) + ':' + std::to_string(port);
}

bool url::loopback() const {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (auto v4 = read_ipv4(host)) return (*v4)[0] == 127;
  const auto v6 = read_ipv6(host);
  return v6 && reach_of(*v6) == reach::loopback;
}

result<url> parse_url(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; }))
    return problem{"a URL contains printable ASCII only"};
  url u;
  if (same_text(text.substr(0, 7), "http://")) {
    text.remove_prefix(7);
  } else if (same_text(text.substr(0, 8), "https://")) {
    text.remove_prefix(8);
    u.tls = true;
    u.port = 443;
  } else {
    return problem{"a URL begins with http:// or https://"};
  }
  if (text.find('#') != text.npos) return problem{"a URL has no fragment here"};
  auto authority = text.substr(0, text.find_first_of("/?"));
  if (auto wrong = read_authority(authority, u); !wrong.empty()) return problem{std::string(wrong)};
  u.target = text.substr(authority.size());
  if (!u.target.starts_with('/')) u.target.insert(0, 1, '/');
  return u;
}

std::string canonical_host(std::string_view host) {
  auto out = lower(host);
  if (const auto v6 = read_ipv6(out)) {
    out.clear();
    std::array<char, 4> digits;
    for (std::size_t i = 0; i < v6->size(); i += 2) {
      const auto group = static_cast<unsigned>((*v6)[i] << 8 | (*v6)[i + 1]);
      const auto end = std::to_chars(digits.begin(), digits.end(), group, 16).ptr;
      if (!out.empty()) out += ':';
      out.append(digits.begin(), end);
    }
  } else if (out.size() > 1 && out.ends_with('.')) {
    out.pop_back();
  }
  return out;
}

}  // namespace gate::http
