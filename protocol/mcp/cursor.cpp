#include "protocol/mcp/cursor.hpp"

#include <openssl/crypto.h>

#include <algorithm>

#include "protocol/base/base64url.hpp"
#include "protocol/base/hmac.hpp"

namespace gate::mcp {

namespace {

using std::size_t;
using std::uint8_t;

// version, list, offset, digest, principal, then the first half of the HMAC: a multiple of three,
// so that the base64 text has no spare bits and every cursor has one spelling.
constexpr uint8_t version = 1;
constexpr size_t content_bytes = 2 + 3 * 8, seal_bytes = 16, cursor_bytes = 42, text_bytes = 56;
static_assert(content_bytes + seal_bytes == cursor_bytes && cursor_bytes % 3 == 0 &&
              cursor_bytes / 3 * 4 == text_bytes);
using packed = std::array<uint8_t, cursor_bytes>;

void put(uint8_t*& at, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) *at++ = static_cast<uint8_t>(value >> shift);
}

std::uint64_t get(const uint8_t*& at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | *at++;
  return value;
}

sha256_digest hmac(const uint8_t* content, const cursor_key& key) {
  return hmac_sha256({reinterpret_cast<const char*>(key.data()), key.size()},
                     {reinterpret_cast<const char*>(content), content_bytes});
}

std::string encode(const packed& bytes) {
  return base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<packed> decode(std::string_view text) {
  if (text.size() != text_bytes) return {};  // before anything is allocated
  const auto decoded = base64url_decode(text);
  if (!decoded) return {};
  packed bytes;
  std::copy(decoded->begin(), decoded->end(), bytes.begin());
  return bytes;
}

}  // namespace

std::string seal(const cursor_content& content, const cursor_key& key) {
  packed bytes;
  auto at = bytes.data();
  *at++ = version;
  *at++ = content.list;
  put(at, content.offset);
  put(at, content.digest);
  put(at, content.principal);
  auto mac = hmac(bytes.data(), key);
  std::copy_n(mac.begin(), seal_bytes, at);
  return encode(bytes);
}

std::optional<cursor_content> open(std::string_view text, const cursor_key& key) {
  auto bytes = decode(text);
  if (!bytes) return {};
  auto mac = hmac(bytes->data(), key);
  if (CRYPTO_memcmp(mac.data(), bytes->data() + content_bytes, seal_bytes) != 0) return {};
  const uint8_t* at = bytes->data();
  if (*at++ != version) return {};
  cursor_content content;
  content.list = *at++;
  content.offset = get(at);
  content.digest = get(at);
  content.principal = get(at);
  return content;
}

std::uint64_t extend_digest(std::uint64_t digest, std::string_view item) noexcept {
  constexpr std::uint64_t prime = 1099511628211ull;
  for (char c : item) digest = (digest ^ static_cast<unsigned char>(c)) * prime;
  // The length ends the item: "ab", "c" is another list than "a", "bc".
  for (auto length = item.size();; length >>= 8) {
    digest = (digest ^ (length & 0xFF)) * prime;
    if (length < 0x100) return digest;
  }
}

}  // namespace gate::mcp
