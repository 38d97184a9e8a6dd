#pragma once
/// Signed tokens: a JWS (jws.hpp) whose payload is a set of claims (JWT, RFC 7519). Reading
/// believes nothing: it says who claims to have issued the token. Checking takes the key set and
/// the time as parameters, and its order is the order of the requirements.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/oauth/jws.hpp"
#include "protocol/oauth/principal.hpp"

namespace gate::oauth {

using wall_time = std::chrono::system_clock::time_point;

/// The `typ` of an assertion (assertion.hpp), which is no access token whoever it is for.
inline constexpr std::string_view assertion_type = "oauth-id-jag+jwt";

/// A token taken apart; nothing in it is proven. The payload of the JWS is in `claims`.
struct unverified_token : jws {
  std::string issuer;
  std::string subject;                ///< may be empty: refused when it is checked
  std::vector<std::string> audience;  ///< a string counts as a list of one
  /// NumericDates (RFC 7519 §2), fractions cut off, within the years to 9999; absent if the claim
  /// is.
  std::optional<std::int64_t> expires, not_before, issued_at;
  std::string claims;  ///< the payload's JSON
};

/// Refused, each with a sentence that quotes nothing of the token: what `read_jws` refuses, and
/// claims that are no object, of which one occurs twice, or that have the wrong type.
result<unverified_token> read_token(std::string_view compact);

/// What an access token must be like.
struct access_rules {
  std::string_view audience;      ///< must be one of the token's, byte for byte
  std::string_view groups_claim;  ///< the claim whose strings are the groups
};

enum class token_fault : std::uint8_t {
  none,
  unknown_key,  ///< the set has no such key: a newer set may
  signature,    ///< it does not verify, or the key of that name does not fit the algorithm
  type,         ///< it is an assertion, to be traded for an access token
  audience,
  subject,
  expired,
  not_yet,    ///< `nbf` or `iat` lies in the future
  no_expiry,  ///< `exp` is missing
};
/// A sentence for the client and the audit trail: "the token has expired".
std::string_view describe(token_fault f) noexcept;

/// The parts of `check_access_token` that other checks share: by whom it is signed, and when it is
/// valid (`expired`, `not_yet`, `no_expiry`). `signed_part` must still be alive.
token_fault check_signature(const unverified_token& t, const key_set& keys);
token_fault check_times(const unverified_token& t, wall_time now);
/// A NumericDate as far as the clock reaches: what is later than it can count is its end.
wall_time to_wall_time(std::int64_t date);

/// Checks a token whose issuer is trusted: signature, type, audience, subject, then the times with
/// `limits::token_leeway` to both sides. With `none`, `who` is set. Groups: the strings of
/// `groups_claim` if that is an array; anything else means no groups (a claim that is a string, or
/// has elements that are none, never widens a grant).
token_fault check_access_token(const unverified_token& t, const key_set& keys,
                               const access_rules& rules, wall_time now, principal& who);

}  // namespace gate::oauth
