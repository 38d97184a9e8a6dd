#pragma once
/// SHA-256 (FIPS 180-4), again and again: what the library needs for it is looked up once, since
/// that costs more than the digest of a token; and not before the first text, for a gateway that
/// never makes a digest is 2 MiB smaller without the tables of libcrypto.
#include <openssl/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace gate {

using sha256_digest = std::array<std::uint8_t, 32>;

/// Not for several threads at once.
class sha256 {
 public:
  /// Throws if the library has no such algorithm.
  sha256_digest operator()(std::string_view text) const;

 private:
  mutable std::shared_ptr<EVP_MD> algorithm_;
  mutable std::shared_ptr<EVP_MD_CTX> context_;
};

}  // namespace gate
