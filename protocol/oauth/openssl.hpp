#pragma once
/// Owners of OpenSSL's objects, for the sources of this room alone.
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <memory>

namespace gate::oauth {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using bignum = std::unique_ptr<BIGNUM, freed_by<BN_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using key_context = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using parameter_builder = std::unique_ptr<OSSL_PARAM_BLD, freed_by<OSSL_PARAM_BLD_free>>;
using parameters = std::unique_ptr<OSSL_PARAM, freed_by<OSSL_PARAM_free>>;
using key_ptr = std::shared_ptr<EVP_PKEY>;

inline key_ptr own(EVP_PKEY* key) {
  return key_ptr(key, freed_by<EVP_PKEY_free>{});
}

/// OpenSSL notes every failure in a queue of the thread, where the next TLS operation would take it
/// for its own: a bad signature would close somebody's connection. So nothing of ours stays there.
class clean_errors {
 public:
  clean_errors() noexcept { ERR_set_mark(); }
  ~clean_errors() { ERR_pop_to_mark(); }
  clean_errors(const clean_errors&) = delete;
  clean_errors& operator=(const clean_errors&) = delete;
};

}  // namespace gate::oauth
