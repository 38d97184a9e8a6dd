#pragma once
/// The gateway's own signing key (ES256), for the access tokens that its token endpoint mints.
#include <openssl/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/oauth/key_set.hpp"

namespace gate::oauth {

/// RFC 7638: the name that a JWK makes of itself; empty if it is no public key of RFC 7518 or 8037.
std::string thumbprint(std::string_view jwk);

class signer {
 public:
  /// From a PKCS#8 PEM text with a P-256 private key; errors never quote the text.
  static result<signer> from_pem(std::string_view pem);

  /// RFC 7638 thumbprint of the public key, base64url: the `kid` of tokens and of the key set.
  const std::string& kid() const noexcept { return kid_; }
  /// The compact JWS of this payload: `{"alg":"ES256","kid":…,"typ":…}`. `kid` empty: ours.
  std::string sign(std::string_view type, std::string_view payload,
                   std::string_view kid = {}) const;
  /// `{"keys":[…]}` with the public key: the body of `/.well-known/jwks.json`.
  const std::string& published() const noexcept { return published_; }
  /// The same, for checking our own tokens without a fetch.
  key_set_ptr keys() const { return keys_; }

 private:
  signer() = default;
  std::shared_ptr<EVP_PKEY> key_;
  std::string kid_, published_;
  key_set_ptr keys_;
};

/// What a minted access token says.
struct minted_claims {
  std::string_view issuer, audience, subject, jti;
  std::string_view client_id, email, scope;  ///< empty: left out
  std::string_view groups_claim = "groups";
  std::string_view groups;  ///< raw JSON array; empty: left out
  std::chrono::system_clock::time_point issued_at;
  std::chrono::seconds lifetime{0};
};
/// The JSON payload of the token.
std::string to_json(const minted_claims& c);

}  // namespace gate::oauth
