#pragma once
/// Host and Origin allowlist: the defence against DNS rebinding (MCP 2025-11-25 /basic/transports
/// §Security Warning). Stage 1 of the pipeline asks it on every endpoint. One thread.
#include <string>
#include <string_view>
#include <vector>

namespace gate::http {

class allowlist {
 public:
  /// `hosts` are bare host names or addresses (IPv6 with or without brackets), compared without
  /// case and without port. Empty: localhost, 127.0.0.1 and ::1. `*` as the only entry allows
  /// everything.
  explicit allowlist(std::vector<std::string> hosts = {});

  /// A Host header's value: name, optional numeric port. Empty or malformed values are refused.
  bool host(std::string_view value) const;
  /// An Origin header's value: `http://` or `https://`, host, optional port, nothing after it.
  /// "null" and anything else is refused. An absent Origin must not be passed in: absence is
  /// allowed.
  bool origin(std::string_view value) const;

 private:
  bool listed(std::string_view authority) const;
  bool look_up(std::string_view authority) const;
  std::vector<std::string> hosts_;
  bool any_ = false;
  mutable std::string latest_;  ///< that was listed: most requests say the same
};

}  // namespace gate::http
