#pragma once
/// JSON Web Key sets (RFC 7517, 7518 §6, 8037): public keys that verify signatures. Parsed once
/// when a set was fetched; immutable and shared afterwards.
#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::oauth {

/// What signatures may be made with. No "none", no HMAC, nothing else: a token can not choose.
enum class algorithm : std::uint8_t { rs256, rs384, rs512, es256, es384, es512, eddsa };

std::optional<algorithm> find_algorithm(std::string_view alg);  ///< the `alg` of RFC 7518, 8037
std::string_view to_string(algorithm a) noexcept;

struct verification_key {
  std::string kid;                       ///< empty: it has none
  std::optional<oauth::algorithm> only;  ///< its `alg`, if it names one
  std::shared_ptr<EVP_PKEY> key;
};

/// Does the key's type (and curve) fit the algorithm, and does the key itself allow it?
bool fits(const verification_key& k, algorithm a) noexcept;

class key_set {
 public:
  explicit key_set(std::vector<verification_key> keys) : keys_(std::move(keys)) {}
  /// The key for a token with this header. Of several with the same `kid` the first that fits. A
  /// token without `kid` finds a key only if the set has just one that fits. Null: none.
  const verification_key* find(std::string_view kid, algorithm a) const noexcept;
  /// Is there a key of this name, whatever it fits?
  bool knows(std::string_view kid) const noexcept;
  /// Is this very key still in it, whatever its name?
  bool holds(const EVP_PKEY& key) const noexcept;
  /// Every key of that set, whatever it is called here?
  bool holds_all(const key_set& of) const noexcept;
  const std::vector<verification_key>& keys() const noexcept { return keys_; }

 private:
  std::vector<verification_key> keys_;
};
using key_set_ptr = std::shared_ptr<const key_set>;

/// Reads a JWK set. Keys that are of no use here are left out, as RFC 7517 §5 wants: other types
/// and curves, `use` other than "sig", `key_ops` without "verify", symmetric ones, malformed ones,
/// RSA below 2048 or beyond 8192 bits, points that are not on the curve. An error if the text is no
/// JWK set, or has more than `limits::key_set_keys` keys. One without a key of use is a set like
/// any other: so an issuer says that it has withdrawn what it signed with.
result<key_set> read_key_set(std::string_view json);

}  // namespace gate::oauth
