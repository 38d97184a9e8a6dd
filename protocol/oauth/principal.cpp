#include "protocol/oauth/principal.hpp"

#include <openssl/sha.h>

#include <array>
#include <stdexcept>

namespace gate::oauth {
namespace {

void append_part(std::string& to, std::string_view part) {
  const std::uint64_t size = part.size();
  for (int shift = 56; shift >= 0; shift -= 8) to += static_cast<char>(size >> shift & 0xFF);
  to += part;
}

}  // namespace

std::uint64_t principal_key(std::string_view issuer, std::string_view subject) {
  std::string text;
  text.reserve(16 + issuer.size() + subject.size());
  append_part(text, issuer);
  append_part(text, subject);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  if (!SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data()))
    throw std::runtime_error("libcrypto offers no SHA-256");
  std::uint64_t key = 0;
  for (int i = 0; i < 8; ++i) key = key << 8 | digest[i];
  return key == 0 ? 1 : key;  // 0 means: nobody
}

}  // namespace gate::oauth
