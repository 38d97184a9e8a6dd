#include "protocol/base/hmac.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stdexcept>

namespace gate {

sha256_digest hmac_sha256(std::string_view key, std::string_view text) {
  sha256_digest out{};
  unsigned length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  // Without a key the library would take the one before: it is never a null pointer here.
  const char* start = key.empty() ? "" : key.data();
  if (!HMAC(EVP_sha256(), start, static_cast<int>(key.size()), bytes, text.size(), out.data(),
            &length))
    throw std::runtime_error("libcrypto offers no HMAC-SHA-256");
  return out;
}

}  // namespace gate
