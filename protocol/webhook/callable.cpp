#include "protocol/webhook/callable.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

/// Names below these, and they themselves, are no names of the internet (RFC 6761, 6762, 7686,
/// 8375; ICANN for `internal`).
constexpr std::array<std::string_view, 6> inner_names{"localhost", "local",     "internal",
                                                      "onion",     "home.arpa", "localdomain"};

bool is_below(std::string_view name, std::string_view parent) {
  return name.size() > parent.size() && name.ends_with(parent) &&
         name[name.size() - parent.size() - 1] == '.';
}

std::optional<http::reach> reach_of_literal(std::string_view host) {
  if (const auto v4 = http::read_ipv4(host)) return http::reach_of(*v4);
  if (const auto v6 = http::read_ipv6(host)) return http::reach_of(*v6);
  return {};
}

/// What is wrong with a name, or empty.
std::string_view wrong_name(std::string_view name) {
  if (name.ends_with('.')) return "the host must not end with a dot";
  for (const auto inner : inner_names)
    if (name == inner || is_below(name, inner))
      return "the host is a name that is not of the public internet";
  if (name.find('.') == name.npos) return "the host is not a full name";
  return {};
}

bool is_named(std::string_view host, const std::vector<std::string>& hosts) {
  return std::ranges::any_of(hosts, [host](std::string_view one) {
    return one.starts_with("*.") ? is_below(host, one.substr(2)) : host == one;
  });
}

}  // namespace

result<http::url> read_callable(std::string_view text, const calling& rules) {
  if (text.size() > limits::webhook_url_bytes)
    return problem{"the URL is longer than " + std::to_string(limits::webhook_url_bytes) +
                   " bytes"};
  auto url = http::parse_url(text);
  if (!url) return url;
  if (!url->tls && !rules.loopback) return problem{"the URL must begin with https://"};
  const auto literal = reach_of_literal(url->host);
  const bool own = rules.loopback && (literal == http::reach::loopback || url->loopback());
  if (literal && !http::admits(callable_peers(rules), *literal))
    return problem{"the host is " + std::string(describe(*literal))};
  if (!literal && !own)
    if (const auto wrong = wrong_name(url->host); !wrong.empty())
      return problem{std::string(wrong)};
  if (!rules.hosts.empty() && !is_named(url->host, rules.hosts))
    return problem{"the host is not among those that the operator allows"};
  return url;
}

}  // namespace gate::webhook
