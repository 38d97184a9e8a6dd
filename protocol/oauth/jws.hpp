#pragma once
/// Compact JWS (RFC 7515 §7.1): text with a signature. Reading believes nothing: it says which key
/// to look for. Headers `jku`, `jwk`, `x5u` and `x5c` are ignored: a text does not bring the key
/// that proves it. `crit` is refused (§4.1.11), and so is `b64` (RFC 7797).
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/oauth/key_set.hpp"

namespace gate::oauth {

/// Taken apart; nothing in it is proven.
struct jws {
  // Of the header.
  oauth::algorithm algorithm{};
  std::string kid;
  std::string type;  ///< `typ`, lower case, without a leading `application/`; empty: none
  std::string payload;
  // For the signature.
  std::string_view signed_part;  ///< a view into the text that was read
  std::string signature;
};

/// Refused, each with a sentence that quotes nothing of the text: longer than
/// `limits::token_bytes`, not three parts, malformed base64url, a header that is no object or has a
/// member twice (also when one is spelled with escapes), an algorithm that is not in `algorithm`.
result<jws> read_jws(std::string_view compact);

/// Is the signature good? The key must fit the algorithm.
bool verify(const jws& t, const verification_key& k);

}  // namespace gate::oauth
