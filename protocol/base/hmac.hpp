#pragma once
/// HMAC-SHA-256 (RFC 2104, FIPS 198-1).
#include <string_view>

#include "protocol/base/sha256.hpp"

namespace gate {

/// Of any key, the empty one too. Throws if the library has no such algorithm.
sha256_digest hmac_sha256(std::string_view key, std::string_view text);

}  // namespace gate
