#pragma once
/// Makes tokens and key sets, good and bad ones: every part can be said. It signs with the keys of
/// simulations/peers/keys and shares no code with what verifies them.
#include <openssl/evp.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace gate::oauth {

/// What keys/NAME.pem holds. Throws if there is nothing.
std::string key_file(const std::string& name);
/// The private key in there.
std::shared_ptr<EVP_PKEY> test_key(const std::string& name);
/// Another key goes by this name from now on: one that is made for the occasion.
void keep_key(const std::string& name, std::shared_ptr<EVP_PKEY> key);
/// Its members as a JWK, without braces: `"kty":"EC","crv":…`.
std::string public_members(const std::string& name);
/// A JWK whose `kid` is the key's name, with `more` members (`"use":"sig"`).
std::string jwk(const std::string& name, const std::string& more = {});
/// `{"keys":[…]}`.
std::string jwk_set(std::initializer_list<std::string> jwks);

std::string plain_base64url(std::string_view bytes);
/// The signature of `alg` over `text`, as JWS has it.
std::string signature_of(std::string_view alg, const std::string& key, std::string_view text);
/// header.payload.signature of these very bytes.
std::string token_of(std::string_view header, std::string_view payload, std::string_view alg,
                     const std::string& key);
/// With the header `{"alg":…,"kid":KEY}`.
std::string token_of(std::string_view payload, std::string_view alg, const std::string& key);

}  // namespace gate::oauth
