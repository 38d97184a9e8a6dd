#pragma once
/// Where the shared store is, and as whom to go there:
///
///   redis://[user:password@]host[:port][/database]
///   rediss://...                                    the same over TLS
///   unix://[user:password@]/path                    a socket on this machine
///
/// Percent-encoding is decoded in names, passwords and paths. Pure.
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::resp {

struct store_url {
  enum class way : std::uint8_t { plain, tls, local };

  way how = way::plain;
  std::string host;  ///< lower case; IPv6 without brackets; empty if it is local
  std::uint16_t port = 6379;
  std::string path;  ///< of the socket, if it is local
  std::string user;  ///< empty: the server's default user
  std::string password;
  bool credentials = false;  ///< the text had some
  std::uint32_t database = 0;

  /// For logs and messages: without user name and password.
  std::string place() const;
};

/// What is wrong with it is said without a word of it: it may hold a password.
result<store_url> parse_store_url(std::string_view text);

}  // namespace gate::resp
