#include "protocol/base/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace gate {
namespace {

struct context_end {
  void operator()(EVP_MAC_CTX* c) const { EVP_MAC_CTX_free(c); }
};
using mac_context = std::unique_ptr<EVP_MAC_CTX, context_end>;

void need(bool worked) {
  if (!worked) throw std::runtime_error("libcrypto offers no HMAC-SHA-256");
}

/// What the library needs for it. To look that up costs five times as much as a short text.
mac_context looked_up() {
  auto* how = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  need(how != nullptr);
  mac_context out(EVP_MAC_CTX_new(how));
  EVP_MAC_free(how);  // (The context has it.)
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> with{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  need(out && EVP_MAC_CTX_set_params(out.get(), with.data()) == 1);
  return out;
}

}  // namespace

sha256_digest hmac_sha256(std::string_view key, std::string_view text) {
  thread_local const mac_context once = looked_up();
  auto* const c = once.get();
  const auto bytes_of = [](std::string_view from) {
    // Without a key the library would take the one before: it is never a null pointer here.
    return reinterpret_cast<const unsigned char*>(from.empty() ? "" : from.data());
  };
  sha256_digest out{};
  std::size_t length = 0;
  need(EVP_MAC_init(c, bytes_of(key), key.size(), nullptr) == 1 &&
       EVP_MAC_update(c, bytes_of(text), text.size()) == 1 &&
       EVP_MAC_final(c, out.data(), &length, out.size()) == 1);
  return out;
}

}  // namespace gate
