#include "simulations/peers/forge.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "simulations/peers/embedded.hpp"

namespace gate::oauth {
namespace {

using bytes = const unsigned char*;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

std::string number(EVP_PKEY* key, const char* name, int size = 0) {
  BIGNUM* n = nullptr;
  require(EVP_PKEY_get_bn_param(key, name, &n) == 1, name);
  std::string out(static_cast<std::size_t>(size == 0 ? BN_num_bytes(n) : size), '\0');
  BN_bn2binpad(n, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
  BN_free(n);
  return plain_base64url(out);
}

std::string group_of(EVP_PKEY* key) {
  char name[32] = {};
  EVP_PKEY_get_group_name(key, name, sizeof name, nullptr);
  const std::string_view group = name;
  if (group == "prime256v1") return "P-256";
  if (group == "secp384r1") return "P-384";
  if (group == "secp521r1") return "P-521";
  return std::string(group);
}

int coordinate_of(std::string_view crv) {
  return crv == "P-521" ? 66 : crv == "P-384" ? 48 : 32;
}

const EVP_MD* digest_of(std::string_view alg) {
  if (alg.ends_with("256")) return EVP_sha256();
  if (alg.ends_with("384")) return EVP_sha384();
  if (alg.ends_with("512")) return EVP_sha512();
  return nullptr;
}

}  // namespace

std::string key_file(const std::string& name) {
  for (const auto& key : embedded_keys())
    if (key.name == name + ".pem") return std::string(key.text);
  throw std::runtime_error("there is no key " + name);
}

std::shared_ptr<EVP_PKEY> test_key(const std::string& name) {
  static std::map<std::string, std::shared_ptr<EVP_PKEY>> cache;
  auto& key = cache[name];
  if (key) return key;
  const auto pem = key_file(name);
  BIO* text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  key.reset(PEM_read_bio_PrivateKey(text, nullptr, nullptr, nullptr), EVP_PKEY_free);
  BIO_free(text);
  require(key != nullptr, "a key can not be read");
  return key;
}

std::string public_members(const std::string& name) {
  const auto key = test_key(name);
  if (EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_EC) {
    const auto crv = group_of(key.get());
    const int size = coordinate_of(crv);
    return R"("kty":"EC","crv":")" + crv + R"(","x":")" +
           number(key.get(), OSSL_PKEY_PARAM_EC_PUB_X, size) + R"(","y":")" +
           number(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, size) + '"';
  }
  if (const int type = EVP_PKEY_get_base_id(key.get());
      type == EVP_PKEY_RSA || type == EVP_PKEY_RSA_PSS)
    return R"("kty":"RSA","n":")" + number(key.get(), OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
           number(key.get(), OSSL_PKEY_PARAM_RSA_E) + '"';
  std::string raw(64, '\0');
  std::size_t size = raw.size();
  require(EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(raw.data()),
                                      &size) == 1,
          "no raw public key");
  raw.resize(size);
  const bool is_448 = EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED448;
  return std::string(R"("kty":"OKP","crv":")") + (is_448 ? "Ed448" : "Ed25519") + R"(","x":")" +
         plain_base64url(raw) + '"';
}

std::string jwk(const std::string& name, const std::string& more) {
  return R"({"kid":")" + name + R"(",)" + public_members(name) + (more.empty() ? "" : ",") + more +
         '}';
}

std::string jwk_set(std::initializer_list<std::string> jwks) {
  std::string out;
  for (const auto& j : jwks) out += (out.empty() ? "" : ",") + j;
  return R"({"keys":[)" + out + "]}";
}

std::string plain_base64url(std::string_view text) {
  std::vector<unsigned char> out(text.size() / 3 * 4 + 5);
  const int size = EVP_EncodeBlock(out.data(), reinterpret_cast<bytes>(text.data()),
                                   static_cast<int>(text.size()));
  std::string encoded(out.begin(), out.begin() + size);
  while (encoded.ends_with('=')) encoded.pop_back();
  for (char& c : encoded) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return encoded;
}

std::string signature_of(std::string_view alg, const std::string& name, std::string_view text) {
  const auto key = test_key(name);
  const std::shared_ptr<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* padding = nullptr;
  require(EVP_DigestSignInit(context.get(), &padding, digest_of(alg), nullptr, key.get()) == 1,
          "can not sign");
  if (alg.starts_with("PS")) EVP_PKEY_CTX_set_rsa_padding(padding, 6);  // RSA_PKCS1_PSS_PADDING
  std::string out(1100, '\0');
  std::size_t size = out.size();
  require(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                         reinterpret_cast<bytes>(text.data()), text.size()) == 1,
          "can not sign");
  out.resize(size);
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_EC) return out;
  const auto* at = reinterpret_cast<bytes>(out.data());
  const std::shared_ptr<ECDSA_SIG> pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)),
                                        ECDSA_SIG_free);
  const int half = coordinate_of(group_of(key.get()));
  std::string raw(static_cast<std::size_t>(2 * half), '\0');
  auto* to = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), to, half);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), to + half, half);
  return raw;
}

std::string token_of(std::string_view header, std::string_view payload, std::string_view alg,
                     const std::string& key) {
  const auto text = plain_base64url(header) + '.' + plain_base64url(payload);
  return text + '.' + plain_base64url(signature_of(alg, key, text));
}

std::string token_of(std::string_view payload, std::string_view alg, const std::string& key) {
  return token_of(R"({"alg":")" + std::string(alg) + R"(","kid":")" + key + R"("})", payload, alg,
                  key);
}

}  // namespace gate::oauth
