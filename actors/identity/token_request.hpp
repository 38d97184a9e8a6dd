#pragma once
/// What a client asks of the token endpoint, read and judged (RFC 6749 §4.5 and §5.2, RFC 7523):
/// pure functions; MINT owns what has to be remembered between requests.
#include <string>
#include <string_view>

#include "actors/identity/sources.hpp"
#include "protocol/oauth/assertion.hpp"
#include "protocol/refusals.hpp"

namespace gate::identity {

/// Why a token is not given.
struct token_refusal {
  token_denial why = token_denial::invalid_request;
  std::string description;
};

struct token_request {
  std::string assertion;
  std::string client_id;  ///< that the request names; empty: none
  std::string scope;
};

/// Reads the request: form, grant, parameters.
boost::system::result<token_request, token_refusal> read_token_request(
    std::string_view body, std::string_view content_type, std::string_view authorization);

/// The scope that is granted: what was asked for, or else what the assertion says; never more than
/// that. False: something else was asked for.
bool grant_scope(std::string_view requested, std::string_view asserted, std::string& granted);

/// The body of a success.
std::string token_body(std::string_view access_token, std::chrono::seconds lifetime,
                       std::string_view scope);

}  // namespace gate::identity
