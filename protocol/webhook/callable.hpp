#pragma once
/// CALLABLE: which URLs a webhook may have. Judged when a webhook is made, so that who makes it is
/// told; the address that a name stands for is judged for each attempt, where it is connected to
/// (protocol/http/address.hpp), since names change. Pure.
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/http/address.hpp"
#include "protocol/http/url.hpp"

namespace gate::webhook {

/// What the operator says of it.
struct calling {
  /// For development: http, and this machine itself.
  bool loopback = false;
  /// Hosts that may be called, in small letters; `*.example.com` is every name below that one.
  /// Empty: all of the public internet.
  std::vector<std::string> hosts;
};

/// Refused, with a sentence: what `http::parse_url` refuses (user information, fragments, IPv4 in
/// unusual forms, zones, other than ASCII), longer than `limits::webhook_url_bytes`, http, a host
/// that is an address and not public, a name that means something within a network only (a single
/// label, `localhost`, `.local`, `.internal` …) or ends with a dot, a host that is not among
/// `calling::hosts`.
result<http::url> read_callable(std::string_view text, const calling& rules);

/// Whom attempts may be sent to, at the address that is connected to.
constexpr http::peers callable_peers(const calling& rules) noexcept {
  return rules.loopback ? http::peers::public_or_loopback : http::peers::public_ones;
}

}  // namespace gate::webhook
