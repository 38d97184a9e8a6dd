#include "protocol/oauth/client_assertion.hpp"

#include "protocol/limits.hpp"
#include "protocol/oauth/signer.hpp"

namespace gate::oauth {

result<std::string> make_client_assertion(std::string_view pem, std::string_view key_id,
                                          const client_assertion_claims& c) {
  const auto key = signer::from_pem(pem);
  if (!key) return key.error();
  minted_claims claims;
  claims.issuer = claims.subject = c.client_id;
  claims.audience = c.audience;
  claims.jti = c.jti;
  claims.issued_at = c.issued_at;
  claims.lifetime = limits::client_assertion;
  return {boost::system::in_place_value, key->sign("JWT", to_json(claims), key_id)};
}

}  // namespace gate::oauth
