#include "protocol/oauth/jws.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/base/base64url.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/object.hpp"
#include "protocol/oauth/openssl.hpp"

namespace gate::oauth {
namespace {

using bytes = const unsigned char*;

std::optional<problem> read_header(std::string_view json, jws& t) {
  const auto header = object::read(json);
  if (!header) return problem{"the token's header " + header.error().what};
  // Both change what the signature means, and say that whoever does not know how must refuse.
  if (header->has("crit") || header->has("b64"))
    return problem{"the token needs an extension that is not supported"};
  const auto alg = text_of(header->get("alg"));
  const auto known = alg ? find_algorithm(*alg) : std::nullopt;
  if (!known) return problem{"the token's algorithm is not accepted"};
  t.algorithm = *known;
  if (!read_text(*header, "kid", t.kid) || t.kid.size() > limits::key_name_bytes)
    return problem{"the token's kid is not a string, or is too long"};
  if (!read_text(*header, "typ", t.type)) return problem{"the token's typ is not a string"};
  t.type = http::lower(t.type);
  if (constexpr std::string_view tree = "application/"; t.type.starts_with(tree))
    t.type.erase(0, tree.size());
  return {};
}

/// Appends to `to` one half of a JWS signature as an ASN.1 INTEGER: no leading zeros, but one if
/// the number would else be negative. Returns behind it.
unsigned char* put_integer(unsigned char* to, std::string_view half) {
  half.remove_prefix(std::min(half.find_first_not_of('\0'), half.size() - 1));
  const bool high = static_cast<unsigned char>(half.front()) & 0x80;
  *to++ = 0x02;
  *to++ = static_cast<unsigned char>(half.size() + high);
  if (high) *to++ = 0;
  return std::copy(half.begin(), half.end(), to);
}

/// The signature as OpenSSL wants it: a SEQUENCE of r and s.
class der_signature {
 public:
  /// Empty unless `raw` has exactly the length of r and s on this curve (RFC 7518 §3.4).
  der_signature(std::string_view raw, std::size_t coordinate) {
    if (raw.size() != 2 * coordinate) return;
    auto* const body = buffer_.data() + head;
    auto* const end =
        put_integer(put_integer(body, raw.substr(0, coordinate)), raw.substr(coordinate));
    const auto size = static_cast<unsigned char>(end - body);
    begin_ = body;
    *--begin_ = size;
    if (size >= 0x80) *--begin_ = 0x81;  // P-521: the length takes a byte of its own
    *--begin_ = 0x30;
    size_ = static_cast<std::size_t>(end - begin_);
  }
  der_signature(const der_signature&) = delete;
  der_signature& operator=(const der_signature&) = delete;

  bytes data() const noexcept { return begin_; }
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t head = 3, coordinate_most = 66;
  std::array<unsigned char, head + 2 * (3 + coordinate_most)> buffer_;
  unsigned char* begin_ = nullptr;
  std::size_t size_ = 0;
};

bool verify_with(const jws& t, EVP_PKEY* key, const EVP_MD* digest, bytes signature,
                 std::size_t size) {
  const digest_context context(EVP_MD_CTX_new());
  return context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), signature, size,
                          reinterpret_cast<bytes>(t.signed_part.data()), t.signed_part.size()) == 1;
}

bool verify_ecdsa(const jws& t, EVP_PKEY* key, const EVP_MD* digest, std::size_t coordinate) {
  const der_signature der(t.signature, coordinate);
  return der.size() != 0 && verify_with(t, key, digest, der.data(), der.size());
}

}  // namespace

result<jws> read_jws(std::string_view compact) {
  if (compact.size() > limits::token_bytes) return problem{"the token is too long"};
  const auto first = compact.find('.');
  const auto last = compact.rfind('.');
  if (first == compact.npos || first == last || compact.find('.', first + 1) != last)
    return problem{"the token does not have three parts"};
  const auto header = base64url_decode(compact.substr(0, first));
  auto payload = base64url_decode(compact.substr(first + 1, last - first - 1));
  auto signature = base64url_decode(compact.substr(last + 1));
  if (!header || !payload || !signature) return problem{"the token is not base64url"};
  jws t;
  t.payload = std::move(*payload);
  t.signature = std::move(*signature);
  t.signed_part = compact.substr(0, last);
  if (auto wrong = read_header(*header, t)) return std::move(*wrong);
  return t;
}

bool verify(const jws& t, const verification_key& k) {
  if (!fits(k, t.algorithm)) return false;
  const clean_errors clean;
  const auto key = k.key.get();
  const auto signature = reinterpret_cast<bytes>(t.signature.data());
  const auto size = t.signature.size();
  switch (t.algorithm) {
    case algorithm::rs256:
      return verify_with(t, key, EVP_sha256(), signature, size);
    case algorithm::rs384:
      return verify_with(t, key, EVP_sha384(), signature, size);
    case algorithm::rs512:
      return verify_with(t, key, EVP_sha512(), signature, size);
    case algorithm::es256:
      return verify_ecdsa(t, key, EVP_sha256(), 32);
    case algorithm::es384:
      return verify_ecdsa(t, key, EVP_sha384(), 48);
    case algorithm::es512:
      return verify_ecdsa(t, key, EVP_sha512(), 66);
    case algorithm::eddsa:
      return verify_with(t, key, nullptr, signature, size);
  }
  return false;
}

}  // namespace gate::oauth
