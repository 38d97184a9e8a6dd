#include "protocol/fleet/vault.hpp"

#include <openssl/core_names.h>
#include <openssl/kdf.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "protocol/base/hmac.hpp"
#include "protocol/oauth/openssl.hpp"

namespace gate::fleet {
namespace {

using oauth::freed_by;
using cipher = std::unique_ptr<EVP_CIPHER_CTX, freed_by<EVP_CIPHER_CTX_free>>;
using derivation = std::unique_ptr<EVP_KDF, freed_by<EVP_KDF_free>>;
using derivation_context = std::unique_ptr<EVP_KDF_CTX, freed_by<EVP_KDF_CTX_free>>;

constexpr std::size_t nonce_bytes = 12, tag_bytes = 16;
constexpr std::string_view purpose = "gate fleet 1";

void need(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(std::string("libcrypto offers no ") + what);
}

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

/// Of a parameter that is only read.
OSSL_PARAM octets(const char* name, std::string_view value) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(value.data()), value.size());
}

}  // namespace

vault::vault(std::string_view secret) {
  const oauth::clean_errors clean;
  const derivation how(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  need(bool(how), "HKDF");
  const derivation_context c(EVP_KDF_CTX_new(how.get()));
  need(bool(c), "HKDF");
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 4> of{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      octets(OSSL_KDF_PARAM_KEY, secret), octets(OSSL_KDF_PARAM_INFO, purpose),
      OSSL_PARAM_construct_end()};
  need(EVP_KDF_derive(c.get(), key_.data(), key_.size(), of.data()) == 1, "HKDF");
}

vault::key vault::key_of(std::string_view about) const {
  return hmac_sha256({reinterpret_cast<const char*>(key_.data()), key_.size()}, about);
}

std::string vault::seal(std::string_view text, std::string_view about, const nonce& once) const {
  const oauth::clean_errors clean;
  const auto own = key_of(about);
  std::string out(nonce_bytes + text.size() + tag_bytes, '\0');
  auto* const at = bytes_of(out);
  std::ranges::copy(once, at);
  const cipher c(EVP_CIPHER_CTX_new());
  int length = 0;
  need(c && EVP_EncryptInit_ex2(c.get(), EVP_aes_256_gcm(), own.data(), at, nullptr) == 1 &&
           EVP_EncryptUpdate(c.get(), at + nonce_bytes, &length, bytes_of(text),
                             static_cast<int>(text.size())) == 1 &&
           EVP_EncryptFinal_ex(c.get(), at + nonce_bytes + text.size(), &length) == 1 &&
           EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes,
                               at + nonce_bytes + text.size()) == 1,
       "AES-256-GCM");
  return out;
}

std::optional<std::string> vault::open(std::string_view sealed, std::string_view about) const {
  if (sealed.size() < overhead) return {};
  const oauth::clean_errors clean;
  const auto own = key_of(about);
  const auto size = sealed.size() - overhead;
  std::string out(size, '\0');
  std::array<std::uint8_t, tag_bytes> tag{};
  std::copy_n(bytes_of(sealed) + nonce_bytes + size, tag.size(), tag.begin());
  const cipher c(EVP_CIPHER_CTX_new());
  int length = 0;
  need(c && EVP_DecryptInit_ex2(c.get(), EVP_aes_256_gcm(), own.data(), bytes_of(sealed),
                                nullptr) == 1,
       "AES-256-GCM");
  need(EVP_DecryptUpdate(c.get(), bytes_of(out), &length, bytes_of(sealed) + nonce_bytes,
                         static_cast<int>(size)) == 1 &&
           EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag.data()) == 1,
       "AES-256-GCM");
  // (What has no length has no place for its end either.)
  std::uint8_t rest = 0;
  if (EVP_DecryptFinal_ex(c.get(), &rest, &length) != 1) return {};
  return out;
}

}  // namespace gate::fleet
