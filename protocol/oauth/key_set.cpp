#include "protocol/oauth/key_set.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "protocol/base/base64url.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/object.hpp"
#include "protocol/oauth/openssl.hpp"

namespace gate::oauth {
namespace {

using bytes = const unsigned char*;

struct algorithm_name {
  algorithm value;
  std::string_view name;
};
constexpr std::array algorithm_names{
    algorithm_name{algorithm::rs256, "RS256"}, algorithm_name{algorithm::rs384, "RS384"},
    algorithm_name{algorithm::rs512, "RS512"}, algorithm_name{algorithm::es256, "ES256"},
    algorithm_name{algorithm::es384, "ES384"}, algorithm_name{algorithm::es512, "ES512"},
    algorithm_name{algorithm::eddsa, "EdDSA"}};

struct curve {
  std::string_view crv;    ///< RFC 7518 §6.2.1.1
  const char* group;       ///< OpenSSL's name
  std::size_t coordinate;  ///< bytes
};
constexpr std::array curves{curve{"P-256", "prime256v1", 32}, curve{"P-384", "secp384r1", 48},
                            curve{"P-521", "secp521r1", 66}};

bool on_curve(const EVP_PKEY* key, const char* group) noexcept {
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC) return false;
  std::array<char, 32> name{};
  return EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) == 1 &&
         std::strcmp(name.data(), group) == 0;
}

std::optional<std::string> bytes_of(const object& jwk, std::string_view name) {
  const auto text = text_of(jwk.get(name));
  if (!text || text->empty()) return {};
  return base64url_decode(*text);
}

bignum number_from(std::string_view big_endian) {
  return bignum(BN_bin2bn(reinterpret_cast<bytes>(big_endian.data()),
                          static_cast<int>(big_endian.size()), nullptr));
}

key_ptr key_from(const char* type, OSSL_PARAM_BLD* build) {
  const parameters given(OSSL_PARAM_BLD_to_param(build));
  const key_context context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!given || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, given.get()) != 1)
    return {};
  return own(key);
}

key_ptr rsa_key(const object& jwk) {
  const auto n_bytes = bytes_of(jwk, "n"), e_bytes = bytes_of(jwk, "e");
  if (!n_bytes || !e_bytes || n_bytes->size() > limits::rsa_bits_most / 8 + 1 ||
      e_bytes->size() > limits::rsa_exponent_bits / 8)
    return {};
  const auto n = number_from(*n_bytes), e = number_from(*e_bytes);
  if (!n || !e || BN_num_bits(n.get()) < limits::rsa_bits_least ||
      BN_num_bits(n.get()) > limits::rsa_bits_most)
    return {};
  // An even modulus or exponent is no RSA, and with the exponent 1 every text signs itself.
  if (!BN_is_odd(n.get()) || !BN_is_odd(e.get()) || BN_is_one(e.get())) return {};
  const parameter_builder build(OSSL_PARAM_BLD_new());
  if (!build || OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return {};
  return key_from("RSA", build.get());
}

key_ptr ec_key(const object& jwk) {
  const auto crv = text_of(jwk.get("crv"));
  const auto x = bytes_of(jwk, "x"), y = bytes_of(jwk, "y");
  if (!crv || !x || !y) return {};
  const auto c = std::ranges::find(curves, *crv, &curve::crv);
  if (c == curves.end() || x->size() != c->coordinate || y->size() != c->coordinate) return {};
  const std::string point = '\x04' + *x + *y;  // SEC 1 §2.3.3, uncompressed
  const parameter_builder build(OSSL_PARAM_BLD_new());
  if (!build ||
      OSSL_PARAM_BLD_push_utf8_string(build.get(), OSSL_PKEY_PARAM_GROUP_NAME, c->group, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(build.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1)
    return {};
  // OpenSSL refuses points that are not on the curve, and coordinates beyond its field. These
  // curves have no small subgroups, so nothing else can be wrong with a point.
  return key_from("EC", build.get());
}

key_ptr ed25519_key(const object& jwk) {
  const auto x = bytes_of(jwk, "x");
  if (text_of(jwk.get("crv")) != "Ed25519" || !x || x->size() != 32) return {};
  return own(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr,
                                         reinterpret_cast<bytes>(x->data()), x->size()));
}

/// Do `use` and `key_ops` let the key verify signatures (RFC 7517 §4.2, §4.3)?
bool may_verify(const object& jwk) {
  if (jwk.has("use") && text_of(jwk.get("use")) != "sig") return false;
  if (!jwk.has("key_ops")) return true;
  const auto operations = texts_of(jwk.get("key_ops"), limits::key_operations);
  return operations && std::ranges::find(*operations, "verify") != operations->end();
}

/// A private or symmetric key that was published is known to everybody, so nothing that it signs
/// proves anything: such a key is not used, not even its public half.
bool tells_secrets(const object& jwk) {
  constexpr std::array members{"d", "p", "q", "dp", "dq", "qi", "oth", "k"};
  return std::ranges::any_of(members, [&jwk](const char* m) { return jwk.has(m); });
}

bool fits_type(const EVP_PKEY* key, algorithm a) noexcept {
  switch (a) {
    case algorithm::rs256:
    case algorithm::rs384:
    case algorithm::rs512:
      return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA;
    case algorithm::es256:
      return on_curve(key, curves[0].group);
    case algorithm::es384:
      return on_curve(key, curves[1].group);
    case algorithm::es512:
      return on_curve(key, curves[2].group);
    case algorithm::eddsa:
      return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519;
  }
  return false;
}

/// The key of one JWK; nothing if it is of no use.
std::optional<verification_key> read_key(std::string_view json) {
  const auto jwk = object::read(json);
  if (!jwk || tells_secrets(*jwk) || !may_verify(*jwk)) return {};
  verification_key out;
  if (jwk->has("kid")) {
    auto kid = text_of(jwk->get("kid"));
    if (!kid || kid->size() > limits::key_name_bytes) return {};
    out.kid = std::move(*kid);
  }
  if (jwk->has("alg")) {
    const auto alg = text_of(jwk->get("alg"));
    out.only = alg ? find_algorithm(*alg) : std::nullopt;
    if (!out.only) return {};
  }
  const auto type = text_of(jwk->get("kty"));
  if (type == "RSA") out.key = rsa_key(*jwk);
  if (type == "EC") out.key = ec_key(*jwk);
  if (type == "OKP") out.key = ed25519_key(*jwk);
  if (!out.key || (out.only && !fits_type(out.key.get(), *out.only))) return {};
  return out;
}

}  // namespace

std::optional<algorithm> find_algorithm(std::string_view alg) {
  const auto found = std::ranges::find(algorithm_names, alg, &algorithm_name::name);
  return found == algorithm_names.end() ? std::nullopt : std::optional(found->value);
}

std::string_view to_string(algorithm a) noexcept {
  const auto found = std::ranges::find(algorithm_names, a, &algorithm_name::value);
  return found == algorithm_names.end() ? "" : found->name;
}

bool fits(const verification_key& k, algorithm a) noexcept {
  return k.key && (!k.only || k.only == a) && fits_type(k.key.get(), a);
}

const verification_key* key_set::find(std::string_view kid, algorithm a) const noexcept {
  const verification_key* found = nullptr;
  for (const auto& k : keys_) {
    if (!kid.empty() && k.kid != kid) continue;
    if (!fits(k, a)) continue;
    if (!kid.empty()) return &k;
    if (found) return nullptr;  // which one is meant nobody knows
    found = &k;
  }
  return found;
}

bool key_set::knows(std::string_view kid) const noexcept {
  return std::ranges::find(keys_, kid, &verification_key::kid) != keys_.end();
}

bool key_set::holds(const EVP_PKEY& key) const noexcept {
  return std::ranges::any_of(keys_,
                             [&key](const auto& k) { return EVP_PKEY_eq(k.key.get(), &key) == 1; });
}

bool key_set::holds_all(const key_set& of) const noexcept {
  for (std::size_t i = 0; i < of.keys_.size(); ++i) {
    const auto& key = *of.keys_[i].key;
    // Mostly they stand where they stood.
    const bool same = i < keys_.size() && EVP_PKEY_eq(keys_[i].key.get(), &key) == 1;
    if (!same && !holds(key)) return false;
  }
  return true;
}

result<key_set> read_key_set(std::string_view json) {
  const clean_errors clean;
  const auto set = object::read(json);
  if (!set) return problem{"the key set " + set.error().what};
  if (!set->get("keys").starts_with('[')) return problem{"the key set has no list of keys"};
  std::vector<verification_key> keys;
  std::size_t count = 0;
  json::cursor c(set->get("keys"), {limits::json_depth, true});
  json::elements(c, [&](json::cursor& at) {
    const auto jwk = at.value(1);
    if (++count > limits::key_set_keys) return at.fail(json::fault::stopped);
    if (auto key = read_key(jwk)) keys.push_back(std::move(*key));
  });
  if (!c.ok())
    return problem{"the key set has more than " + std::to_string(limits::key_set_keys) + " keys"};
  return key_set(std::move(keys));
}

}  // namespace gate::oauth
