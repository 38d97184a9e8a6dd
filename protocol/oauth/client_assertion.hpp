#pragma once
/// How the gateway shows an authorization server who it is, where that wants a signature instead of
/// a shared secret: `private_key_jwt` (RFC 7523 §2.2, OpenID Connect Core §9).
#include <chrono>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::oauth {

struct client_assertion_claims {
  std::string_view client_id;  ///< who says it, and of whom
  std::string_view audience;   ///< the server's token endpoint, or what it calls itself
  std::string_view jti;        ///< never the same again
  std::chrono::system_clock::time_point issued_at;
};

/// The assertion, signed (ES256) with the private key of `pem`, alive for
/// `limits::client_assertion`. `key_id` empty: the key's RFC 7638 thumbprint. The error is for the
/// operator and quotes nothing of the key.
result<std::string> make_client_assertion(std::string_view pem, std::string_view key_id,
                                          const client_assertion_claims& c);

}  // namespace gate::oauth
