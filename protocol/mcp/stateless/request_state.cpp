#include "protocol/mcp/stateless/request_state.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "protocol/base/base64url.hpp"
#include "protocol/oauth/openssl.hpp"

namespace gate::mcp::stateless {
namespace {

using oauth::freed_by;
using std::size_t;
using std::uint8_t;

// unit, nonce, then sealed: call, round, expiry, instance, binding, two of nothing; then the tag. A
// multiple of three, so that the base64 text has no spare bits and every state has one spelling.
constexpr size_t unit_bytes = 1, nonce_bytes = std::tuple_size_v<state_nonce>, tag_bytes = 16;
constexpr size_t sealed_bytes =
    8 + 4 + 8 + std::tuple_size_v<instance_name> + std::tuple_size_v<sha256_digest> + 2;
constexpr size_t sealed_at = unit_bytes + nonce_bytes, tag_at = sealed_at + sealed_bytes;
constexpr size_t all_bytes = tag_at + tag_bytes;
static_assert(all_bytes % 3 == 0 && all_bytes / 3 * 4 == request_state_text);
using packed = std::array<uint8_t, all_bytes>;
using plain = std::array<uint8_t, sealed_bytes>;

using cipher = std::unique_ptr<EVP_CIPHER_CTX, freed_by<EVP_CIPHER_CTX_free>>;

template <class N>
void put(uint8_t*& at, N value) {
  for (int shift = 8 * (sizeof(N) - 1); shift >= 0; shift -= 8)
    *at++ = static_cast<uint8_t>(value >> shift);
}

template <class N>
N get(const uint8_t*& at) {
  N value = 0;
  for (size_t i = 0; i < sizeof(N); ++i) value = static_cast<N>(value << 8 | *at++);
  return value;
}

void need(bool worked) {
  if (!worked) throw std::runtime_error("libcrypto offers no AES-256-GCM");
}

/// Encrypts or decrypts what lies between nonce and tag; `seals` says which. False: the tag is not
/// the right one.
bool crypt(bool seals, packed& all, plain& text, const state_key& key) {
  const oauth::clean_errors clean;
  const cipher c(EVP_CIPHER_CTX_new());
  int length = 0;
  need(c && EVP_CipherInit_ex2(c.get(), EVP_aes_256_gcm(), key.data(), all.data() + unit_bytes,
                               seals ? 1 : 0, nullptr) == 1);
  need(EVP_CipherUpdate(c.get(), nullptr, &length, all.data(), unit_bytes) == 1);
  auto* const sealed = all.data() + sealed_at;
  auto* const tag = all.data() + tag_at;
  need(EVP_CipherUpdate(c.get(), seals ? sealed : text.data(), &length,
                        seals ? text.data() : sealed, sealed_bytes) == 1);
  if (!seals) need(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag) == 1);
  if (EVP_CipherFinal_ex(c.get(), tag, &length) != 1) return false;
  if (seals) need(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes, tag) == 1);
  return true;
}

bool is_in_alphabet(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_';
}

}  // namespace

std::string seal(const request_state& s, const state_key& key, const state_nonce& nonce) {
  packed all{};
  all[0] = s.unit;
  std::ranges::copy(nonce, all.data() + unit_bytes);
  plain text{};
  auto* at = text.data();
  put(at, s.call);
  put(at, s.round);
  put(at, s.expires);
  at = std::ranges::copy(s.instance, at).out;
  std::ranges::copy(s.binding, at);
  need(crypt(true, all, text, key));
  return base64url_encode({reinterpret_cast<const char*>(all.data()), all.size()});
}

std::optional<request_state> open(std::string_view text, const state_key& key) {
  if (text.size() != request_state_text) return {};  // before anything is allocated
  const auto decoded = base64url_decode(text);
  if (!decoded) return {};
  packed all{};
  std::ranges::copy(*decoded, all.begin());
  plain content{};
  if (!crypt(false, all, content, key)) return {};
  request_state s;
  s.unit = all[0];
  const uint8_t* at = content.data();
  s.call = get<std::uint64_t>(at);
  s.round = get<std::uint32_t>(at);
  s.expires = get<std::uint64_t>(at);
  std::copy_n(at, s.instance.size(), s.instance.begin());
  std::copy_n(at + s.instance.size(), s.binding.size(), s.binding.begin());
  return s;
}

std::optional<uint8_t> unit_of_state(std::string_view text) {
  if (text.size() != request_state_text || !std::ranges::all_of(text, is_in_alphabet)) return {};
  const auto first = base64url_decode(text.substr(0, 4));
  if (!first) return {};
  return static_cast<uint8_t>(first->front());
}

std::optional<uint8_t> unit_named_in(std::string_view body) {
  constexpr std::string_view key = R"("requestState")";
  const auto skip = [&](std::string_view& rest, char wanted) {
    const auto at = rest.find_first_not_of(" \t\r\n");
    if (at == rest.npos || rest[at] != wanted) return false;
    rest.remove_prefix(at + 1);
    return true;
  };
  for (auto at = body.find(key); at != body.npos; at = body.find(key, at + 1)) {
    auto rest = body.substr(at + key.size());
    if (!skip(rest, ':') || !skip(rest, '"') || rest.size() <= request_state_text ||
        rest[request_state_text] != '"')
      continue;
    if (const auto unit = unit_of_state(rest.substr(0, request_state_text))) return unit;
  }
  return {};
}

}  // namespace gate::mcp::stateless
