#pragma once
/// The gateway as a client of other authorization servers: the token requests of its upstream
/// credentials and what is answered (RFC 6749 §4.4 and §5, RFC 8693, RFC 8707).
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::oauth {

/// How the client shows who it is.
struct client_identity {
  std::string_view id, secret;
  bool basic = true;             ///< in the Authorization header, else within the body
  std::string_view assertion{};  ///< instead of a secret (client_assertion.hpp), within the body
};

struct token_request {
  std::string headers;  ///< header lines, each ending in CRLF
  std::string body;
};

/// What a token is asked for. A grant takes what belongs to it; what is empty is not sent.
struct grant_terms {
  const std::vector<std::string>& scopes;
  std::string_view resource{};       ///< RFC 8707
  std::string_view audience{};       ///< RFC 8693
  std::string_view subject_token{};  ///< the caller's
};
using grant = token_request(const client_identity& c, const grant_terms& t);

/// RFC 6749 §4.4: `scopes`, `resource`.
token_request client_credentials_request(const client_identity& c, const grant_terms& t);
/// RFC 8693 §2.1: the caller's access token for one that `audience` takes.
token_request token_exchange_request(const client_identity& c, const grant_terms& t);

struct access_token {
  std::string value;
  std::optional<std::chrono::seconds> lifetime;  ///< `expires_in`
};
/// Reads a token endpoint's answer. Refused: a status other than 200 (the error names the OAuth
/// `error` code if there is one, never the description or a token), a body that is no such answer,
/// a token type other than Bearer, a token that does not fit a header line (RFC 6750 §2.1
/// b64token), a lifetime that is negative or no number.
result<access_token> read_token_response(int status, std::string_view body);

}  // namespace gate::oauth
