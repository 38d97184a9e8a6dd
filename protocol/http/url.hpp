#pragma once
/// Absolute http and https URLs, as configuration names upstreams and endpoints.
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::http {

struct url {
  bool tls = false;
  std::string host;         ///< lower case; IPv6 without brackets
  std::uint16_t port = 80;  ///< the scheme's default when the text named none
  std::string target;       ///< path and query, always begins with `/`

  /// Host header value: brackets for IPv6, port only when not the scheme's default.
  std::string authority() const;
  /// `https://host:port`, port always written: the key of a connection pool.
  std::string origin() const;
  /// Origin and path, for logs, labels and reports. Without the query, which may carry secrets.
  std::string place() const { return origin() + target.substr(0, target.find('?')); }
  /// localhost, *.localhost, 127.0.0.0/8 or ::1: exempt from the https mandates.
  bool loopback() const;
};

/// Refused: other schemes, user information, a fragment, an empty host, a port outside 1..65535,
/// blanks, control or non-ASCII bytes.
result<url> parse_url(std::string_view text);

/// A host of a URL in the form that is the same for all its spellings: lower case, without the dot
/// that ends absolute names, IPv6 as eight groups. For comparing hosts, not for calling them.
std::string canonical_host(std::string_view host);

}  // namespace gate::http
