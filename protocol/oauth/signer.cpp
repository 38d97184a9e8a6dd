#include "protocol/oauth/signer.hpp"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "protocol/base/base64url.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/oauth/object.hpp"
#include "protocol/oauth/openssl.hpp"

namespace gate::oauth {
namespace {

using source = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using pkcs8 = std::unique_ptr<PKCS8_PRIV_KEY_INFO, freed_by<PKCS8_PRIV_KEY_INFO_free>>;
using signature_pair = std::unique_ptr<ECDSA_SIG, freed_by<ECDSA_SIG_free>>;

constexpr std::size_t coordinate = 32;

/// What is wrong with a text that holds no `PRIVATE KEY` block, as far as it can be told.
std::string_view why_no_key(std::string_view pem) {
  const auto has = [pem](std::string_view label) { return pem.find(label) != pem.npos; };
  if (has("-----BEGIN EC PRIVATE KEY-----"))
    return "the key is in SEC 1 form; convert it with `openssl pkcs8 -topk8 -nocrypt`";
  if (has("-----BEGIN RSA PRIVATE KEY-----"))
    return "the key is an RSA key; a P-256 key is needed (ES256)";
  if (has("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
    return "the key is encrypted; decrypt it with `openssl pkcs8`";
  if (has("-----BEGIN PUBLIC KEY-----") || has("-----BEGIN CERTIFICATE-----"))
    return "this is a public key or a certificate; a private key is needed";
  if (has("-----BEGIN PRIVATE KEY-----"))
    return "the PEM block is damaged; are its line breaks still there?";
  return "this is no private key in PKCS#8 PEM form (BEGIN PRIVATE KEY)";
}

/// A passphrase is asked of nobody: the default is to prompt at the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 32> name{};
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) == 1 &&
         std::strcmp(name.data(), "prime256v1") == 0;
}

std::string padded(const BIGNUM* number) {
  std::string out(coordinate, '\0');
  if (BN_bn2binpad(number, reinterpret_cast<unsigned char*>(out.data()), coordinate) !=
      static_cast<int>(coordinate))
    throw std::runtime_error("libcrypto made a number that does not belong to P-256");
  return out;
}

std::string coordinate_of(const EVP_PKEY* key, const char* which) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, which, &number) != 1)
    throw std::runtime_error("libcrypto does not tell a public key");
  return base64url_encode(padded(bignum(number).get()));
}

/// r and s, each in full length (RFC 7518 §3.4), from OpenSSL's DER.
std::string raw_signature(const unsigned char* der, std::size_t size) {
  const signature_pair pair(d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(size)));
  if (!pair) throw std::runtime_error("libcrypto made no signature");
  return padded(ECDSA_SIG_get0_r(pair.get())) + padded(ECDSA_SIG_get0_s(pair.get()));
}

}  // namespace

std::string thumbprint(std::string_view jwk) {
  const auto key = object::read(jwk);
  if (!key) return {};
  // §3.2: the members that the type needs, sorted, without white space.
  const auto type = text_of(key->get("kty"));
  std::vector<std::string_view> wanted;
  if (type == "EC") wanted = {"crv", "kty", "x", "y"};
  if (type == "RSA") wanted = {"e", "kty", "n"};
  if (type == "OKP") wanted = {"crv", "kty", "x"};
  std::string text;
  for (const auto name : wanted) {
    const auto value = text_of(key->get(name));
    if (!value) return {};
    json::append_quoted(text += text.empty() ? '{' : ',', name);
    json::append_quoted(text += ':', *value);
  }
  if (text.empty()) return {};
  text += '}';
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  if (!SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data()))
    throw std::runtime_error("libcrypto offers no SHA-256");
  return base64url_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

result<signer> signer::from_pem(std::string_view pem) {
  const clean_errors clean;
  const source text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!text) throw std::bad_alloc();
  constexpr std::string_view begin = "-----BEGIN ";
  const auto first = pem.find(begin);
  if (first != pem.npos && pem.find(begin, first + begin.size()) != pem.npos &&
      pem.find("-----BEGIN EC PARAMETERS-----") == pem.npos)
    return problem{"there is more than one PEM block; only the private key belongs there"};
  const pkcs8 info(PEM_read_bio_PKCS8_PRIV_KEY_INFO(text.get(), nullptr, no_passphrase, nullptr));
  if (!info) return problem{std::string(why_no_key(pem))};
  signer s;
  s.key_ = own(EVP_PKCS82PKEY(info.get()));
  if (!s.key_) return problem{"the private key is damaged"};
  if (!is_p256(s.key_.get()))
    return problem{"the key is not on the curve P-256, which ES256 needs"};
  const key_context check(EVP_PKEY_CTX_new_from_pkey(nullptr, s.key_.get(), nullptr));
  if (!check || EVP_PKEY_check(check.get()) != 1)
    return problem{"the private key does not belong to its public key"};
  const auto x = coordinate_of(s.key_.get(), OSSL_PKEY_PARAM_EC_PUB_X);
  const auto y = coordinate_of(s.key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
  const auto members = R"("kty":"EC","crv":"P-256","x":")" + x + R"(","y":")" + y + '"';
  s.kid_ = thumbprint('{' + members + '}');
  s.published_ =
      R"({"keys":[{)" + members + R"(,"kid":")" + s.kid_ + R"(","use":"sig","alg":"ES256"}]})";
  s.keys_ = std::make_shared<const key_set>(read_key_set(s.published_).value());
  return s;
}

std::string signer::sign(std::string_view type, std::string_view payload,
                         std::string_view kid) const {
  std::string header = R"({"alg":"ES256","kid":)";
  json::append_quoted(header, kid.empty() ? kid_ : kid);
  header += R"(,"typ":)";
  json::append_quoted(header, type);
  header += '}';
  auto out = base64url_encode(header) + '.' + base64url_encode(payload);
  std::array<unsigned char, 80> der;  // two integers of at most 33 bytes
  std::size_t size = der.size();
  const digest_context context(EVP_MD_CTX_new());
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size,
                     reinterpret_cast<const unsigned char*>(out.data()), out.size()) != 1)
    throw std::runtime_error("libcrypto does not sign");
  out += '.';
  out += base64url_encode(raw_signature(der.data(), size));
  return out;
}

std::string to_json(const minted_claims& c) {
  const auto issued = std::chrono::floor<std::chrono::seconds>(c.issued_at).time_since_epoch();
  std::string out = "{";
  const auto name = [&out](std::string_view key) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, key);
    out += ':';
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    name(key);
    json::append_quoted(out, value);
  };
  text("iss", c.issuer);
  text("sub", c.subject);
  text("aud", c.audience);
  name("iat");
  out += std::to_string(issued.count());
  name("exp");
  out += std::to_string((issued + c.lifetime).count());
  text("jti", c.jti);
  text("client_id", c.client_id);
  text("email", c.email);
  text("scope", c.scope);
  // A claim of another name that was already written would make the token unreadable: twice.
  constexpr std::array taken{"iss", "sub", "aud",       "iat",   "exp",
                             "nbf", "jti", "client_id", "email", "scope"};
  const bool free = std::ranges::find(taken, c.groups_claim, [](const char* t) {
                      return std::string_view(t);
                    }) == taken.end();
  if (!c.groups.empty() && !c.groups_claim.empty() && free) {
    name(c.groups_claim);
    out += c.groups;
  }
  return out + '}';
}

}  // namespace gate::oauth
