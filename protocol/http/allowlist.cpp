#include "protocol/http/allowlist.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "protocol/http/ascii.hpp"

namespace gate::http {

namespace {

/// An authority that is longer is looked up each time.
constexpr std::size_t remembered_bytes = 256;

bool is_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  return all_digits(text) &&
         std::from_chars(text.data(), text.data() + text.size(), port).ec == std::errc{};
}

std::string_view without_brackets(std::string_view host) noexcept {
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return host;
  return host.substr(1, host.size() - 2);
}

/// The host of `host[:port]`, brackets trimmed; empty if the text is neither.
std::string_view host_of(std::string_view authority) noexcept {
  bool bracketed = authority.starts_with('[');
  auto end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed) {
    if (end == authority.npos) return {};
    ++end;
  }
  auto host = authority.substr(0, end);
  auto rest = authority.substr(host.size());
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return {};
  return without_brackets(host);
}

}  // namespace

allowlist::allowlist(std::vector<std::string> hosts) {
  if (hosts.empty()) hosts = {"localhost", "127.0.0.1", "::1"};
  any_ = hosts.size() == 1 && hosts.front() == "*";
  for (const auto& h : hosts) {
    // Among other entries `*` means nothing; as a name it would admit the Host header `*`.
    if (!h.empty() && h != "*") hosts_.push_back(lower(without_brackets(h)));
  }
}

bool allowlist::listed(std::string_view authority) const {
  if (!latest_.empty() && authority == latest_) return true;
  if (!look_up(authority)) return false;
  if (authority.size() <= remembered_bytes) latest_ = authority;
  return true;
}

bool allowlist::look_up(std::string_view authority) const {
  auto host = host_of(authority);
  if (host.empty()) return false;
  return std::ranges::any_of(hosts_, [&](const auto& h) { return same_text(h, host); });
}

bool allowlist::host(std::string_view value) const {
  return any_ || listed(value);
}

bool allowlist::origin(std::string_view value) const {
  if (any_) return true;
  for (std::string_view scheme : {"http://", "https://"})
    if (same_text(value.substr(0, scheme.size()), scheme))
      return listed(value.substr(scheme.size()));
  return false;
}

}  // namespace gate::http
