#pragma once
/// Identity assertions (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant) that a client
/// trades for an access token by the JWT bearer grant of RFC 7523.
#include <string>
#include <string_view>

#include "protocol/oauth/token.hpp"

namespace gate::oauth {

/// What the gateway, as authorization server, asks of an assertion.
struct assertion_rules {
  std::string_view idp_issuer;
  std::string_view our_issuer;  ///< the assertion's only audience: this, with or without a slash …
  std::string_view resource;    ///< … or this; and its `resource` claim, if it has one
  std::string_view client_id;   ///< as the request named it; empty: it named none
};

/// What the assertion says, once it is believed.
struct assertion {
  std::string subject, client_id, jti;
  std::string scope;   ///< empty: none
  std::string email;   ///< empty: none
  std::string groups;  ///< raw JSON array of strings; empty: none
  wall_time expires;
};

/// The checks, in this order: `typ` is `oauth-id-jag+jwt`, issuer, signature, audience (exactly
/// one), `sub`, `client_id` (present; the request's own if that named one), `resource`, no `cnf` (a
/// key binding that could not be verified), `exp` and `iat` present and timely, `jti` present and
/// of at most `limits::jti_bytes`. The error is a sentence for `error_description`. `groups_claim`
/// is where the groups are. Whether the `jti` is new is not asked here. `token_fault::unknown_key`
/// is told apart by `needs_key`, since a newer set may have the key.
result<assertion> check_assertion(const unverified_token& t, const key_set& keys,
                                  const assertion_rules& rules, std::string_view groups_claim,
                                  wall_time now, bool& needs_key);

}  // namespace gate::oauth
