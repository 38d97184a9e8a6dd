#include "simulations/replay/stand_in_issuer.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>
#include <set>
#include <stdexcept>

#include "protocol/json/scan.hpp"
#include "protocol/oauth/signer.hpp"
#include "simulations/peers/forge.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

EVP_PKEY* generated(const std::string& kind) {
  if (kind == "RSA") return EVP_RSA_gen(2048);
  if (kind == "Ed25519" || kind == "Ed448")
    return EVP_PKEY_Q_keygen(nullptr, nullptr, kind == "Ed448" ? "ED448" : "ED25519");
  return EVP_EC_gen(kind.c_str());
}

/// The name, at the forge, of a key of ours: `P-256`, `RSA`, `Ed25519` and so on.
std::string key_named(const std::string& kind, bool good = true) {
  static std::set<std::string> made;
  const auto name = std::string(good ? "stand-in " : "unpublished ") + kind;
  if (made.contains(name)) return name;
  const std::shared_ptr<EVP_PKEY> key(generated(kind), EVP_PKEY_free);
  if (!key) throw std::runtime_error("libcrypto makes no key of the kind " + kind);
  oauth::keep_key(name, key);
  made.insert(name);
  return name;
}

std::string text_of(std::string_view object, std::string_view member) {
  std::string out;
  const auto raw = json::member(object, member);
  return raw.empty() || !json::unquote(raw, out) ? std::string{} : out;
}

/// Which kind of key signs by this algorithm; empty: none that we know.
std::string kind_for(const std::string& alg, const std::string& curve) {
  if (alg == "ES256") return "P-256";
  if (alg == "ES384") return "P-384";
  if (alg == "ES512") return "P-521";
  if (alg == "EdDSA" || alg == "Ed25519" || alg == "Ed448") {
    return curve == "Ed448" || alg == "Ed448" ? "Ed448" : "Ed25519";
  }
  return alg.starts_with("RS") || alg.starts_with("PS") ? "RSA" : std::string{};
}

std::string kind_of_jwk(std::string_view jwk) {
  const auto type = text_of(jwk, "kty");
  if (type == "RSA") return "RSA";
  if (type != "EC" && type != "OKP") return {};
  const auto curve = text_of(jwk, "crv");
  const std::set<std::string> known{"P-256", "P-384", "P-521", "Ed25519", "Ed448"};
  return known.contains(curve) ? curve : std::string{};
}

}  // namespace

std::optional<std::string> stand_in_issuer::token(std::string_view told, bool good) {
  const auto claims = json::member(told, "claims");
  const auto alg = text_of(told, "alg");
  const auto kind = kind_for(alg, {});
  if (claims.empty()) return {};
  auto& known = tokens_[std::string(good ? "+" : "-") + std::string(told)];
  if (!known.empty()) return known;
  std::string header = R"({"alg":)" + json::quoted(alg);
  auto kid = text_of(told, "kid");
  if (!kid.empty() && alg == "ES256" && !published_.contains(kid))
    kid = oauth::thumbprint('{' + oauth::public_members(key_named("P-256")) + '}');
  if (!kid.empty()) header += R"(,"kid":)" + json::quoted(kid);
  if (const auto type = json::member(told, "typ"); !type.empty())
    header.append(R"(,"typ":)").append(type);
  // Nobody believes it, but it looks like what was shown.
  if (kind.empty())
    return known = oauth::plain_base64url(header + '}') + '.' + oauth::plain_base64url(claims) +
                   ".AAAA";
  return known = oauth::token_of(header + '}', claims, alg, key_named(kind, good));
}

std::string stand_in_issuer::key_set(std::string_view recorded) {
  std::string out;
  for (const auto& [nobody, jwk] : members_of(json::member(recorded, "keys"))) {
    const auto kind = kind_of_jwk(jwk);
    out += out.empty() ? "" : ",";
    if (kind.empty()) {
      out += jwk;
      continue;
    }
    out += '{' + oauth::public_members(key_named(kind));
    for (const auto name : {"kid", "alg", "use", "key_ops"})
      if (const auto raw = json::member(jwk, name); !raw.empty())
        out.append(",\"").append(name).append("\":").append(raw);
    out += '}';
  }
  return R"({"keys":[)" + out + "]}";
}

const std::string& stand_in_issuer::private_key() {
  if (!private_key_.empty()) return private_key_;
  const auto key = oauth::test_key(key_named("P-256"));
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  if (PEM_write_bio_PKCS8PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
      1)
    throw std::runtime_error("libcrypto does not write a key");
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &bytes);
  return private_key_.assign(bytes, static_cast<std::size_t>(size));
}

void add_key_ids(std::string_view key_set, std::set<std::string>& to) {
  for (const auto& [nobody, jwk] : members_of(json::member(key_set, "keys")))
    to.insert(text_of(jwk, "kid"));
}

bool is_key_set(std::string_view body) {
  return body.starts_with('{') && may_have(body, "keys") &&
         json::member(body, "keys").starts_with('[');
}

}  // namespace gate::replay
