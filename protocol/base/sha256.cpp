#include "protocol/base/sha256.hpp"

#include <openssl/evp.h>

#include <new>
#include <stdexcept>

namespace gate {

sha256_digest sha256::operator()(std::string_view text) const {
  if (!context_) {
    algorithm_.reset(EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_free);
    if (!algorithm_) throw std::runtime_error("libcrypto offers no SHA-256");
    context_.reset(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!context_) throw std::bad_alloc();
  }
  sha256_digest out{};
  auto* c = context_.get();
  if (EVP_DigestInit_ex2(c, algorithm_.get(), nullptr) != 1 ||
      EVP_DigestUpdate(c, text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(c, out.data(), nullptr) != 1)
    throw std::runtime_error("libcrypto can not make a SHA-256");
  return out;
}

}  // namespace gate
