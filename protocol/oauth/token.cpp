#include "protocol/oauth/token.hpp"

#include <algorithm>
#include <cmath>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/object.hpp"

namespace gate::oauth {
namespace {

using std::chrono::seconds;

/// The end of the year 9999. What lies beyond is no date but an issuer that counts milliseconds,
/// whose tokens would never expire.
constexpr double date_most = 253'402'300'799.0;
/// System clocks count nanoseconds in 64 bits, until 2262; leaves room to add to.
constexpr std::int64_t clock_most = 9'000'000'000;

bool read_date(const object& from, std::string_view name, std::optional<std::int64_t>& to) {
  const auto raw = from.get(name);
  if (raw.empty()) return true;
  const auto value = number_of(raw);
  if (!value || std::abs(*value) > date_most) return false;
  to = static_cast<std::int64_t>(*value);
  return true;
}

bool read_audience(const object& from, std::vector<std::string>& to) {
  const auto raw = from.get("aud");
  if (raw.starts_with('[')) {
    auto all = texts_of(raw, limits::token_audiences);
    if (all) to = std::move(*all);
    return all.has_value();
  }
  std::string one;
  if (!read_text(from, "aud", one)) return false;
  if (!raw.empty()) to.push_back(std::move(one));
  return true;
}

std::optional<problem> read_claims(unverified_token& t) {
  const auto claims = object::read(t.claims);
  if (!claims) return problem{"the token's payload " + claims.error().what};
  if (!read_text(*claims, "iss", t.issuer) || !read_text(*claims, "sub", t.subject))
    return problem{"the token's iss or sub is not a string"};
  if (!read_audience(*claims, t.audience))
    return problem{"the token's aud is neither a string nor a short list of strings"};
  if (!read_date(*claims, "exp", t.expires) || !read_date(*claims, "nbf", t.not_before) ||
      !read_date(*claims, "iat", t.issued_at))
    return problem{"the token's exp, nbf or iat is not a date"};
  return {};
}

std::vector<std::string> groups_of(std::string_view claims, std::string_view claim) {
  if (claim.empty()) return {};
  auto groups = texts_of(json::member(claims, claim), limits::token_bytes);
  return groups ? std::move(*groups) : std::vector<std::string>{};
}

}  // namespace

result<unverified_token> read_token(std::string_view compact) {
  auto text = read_jws(compact);
  if (!text) return std::move(text).error();
  unverified_token t{std::move(*text), {}, {}, {}, {}, {}, {}, {}};
  t.claims = std::move(t.payload);
  if (auto wrong = read_claims(t)) return std::move(*wrong);
  return t;
}

std::string_view describe(token_fault f) noexcept {
  switch (f) {
    case token_fault::none:
      return "the token is good";
    case token_fault::unknown_key:
      return "the token is signed with a key that its issuer does not publish";
    case token_fault::signature:
      return "the token's signature is not valid";
    case token_fault::type:
      return "the token is an assertion, not an access token";
    case token_fault::audience:
      return "the token is for another audience";
    case token_fault::subject:
      return "the token names no subject";
    case token_fault::expired:
      return "the token has expired";
    case token_fault::not_yet:
      return "the token is not valid yet";
    case token_fault::no_expiry:
      return "the token has no expiry";
  }
  return "";
}

token_fault check_signature(const unverified_token& t, const key_set& keys) {
  const auto* key = keys.find(t.kid, t.algorithm);
  if (key) return verify(t, *key) ? token_fault::none : token_fault::signature;
  return !t.kid.empty() && keys.knows(t.kid) ? token_fault::signature : token_fault::unknown_key;
}

token_fault check_times(const unverified_token& t, wall_time now) {
  const auto second = std::chrono::floor<seconds>(now).time_since_epoch().count();
  const auto leeway = limits::token_leeway.count();
  if (!t.expires) return token_fault::no_expiry;
  if (second >= *t.expires + leeway) return token_fault::expired;
  if (t.not_before && second < *t.not_before - leeway) return token_fault::not_yet;
  if (t.issued_at && second < *t.issued_at - leeway) return token_fault::not_yet;
  return token_fault::none;
}

wall_time to_wall_time(std::int64_t date) {
  return wall_time(seconds(std::clamp(date, -clock_most, clock_most)));
}

token_fault check_access_token(const unverified_token& t, const key_set& keys,
                               const access_rules& rules, wall_time now, principal& who) {
  if (auto fault = check_signature(t, keys); fault != token_fault::none) return fault;
  if (t.type == assertion_type) return token_fault::type;
  if (std::ranges::find(t.audience, rules.audience) == t.audience.end())
    return token_fault::audience;
  if (t.subject.empty()) return token_fault::subject;
  if (auto fault = check_times(t, now); fault != token_fault::none) return fault;
  who.issuer = t.issuer;
  who.subject = t.subject;
  who.groups = groups_of(t.claims, rules.groups_claim);
  who.claims = t.claims;
  who.expires = to_wall_time(*t.expires);
  who.key = principal_key(t.issuer, t.subject);
  if (const auto* key = keys.find(t.kid, t.algorithm)) who.signed_by = key->key;
  return token_fault::none;
}

}  // namespace gate::oauth
