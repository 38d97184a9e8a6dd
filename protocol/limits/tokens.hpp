#pragma once
/// Bounds of tokens, keys, guards and credentials, each with its reason; and what happens at each,
/// as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- tokens and keys -----------------------------------------------------------------------------
/// A bearer token or an assertion as it is presented.
inline constexpr std::size_t token_bytes = 16 * 1024;
/// What a token says about its key and its audience: more is no use to anybody.
inline constexpr std::size_t key_name_bytes = 1024;
inline constexpr std::size_t token_audiences = 100;
/// Clocks of issuers may differ from ours by this.
inline constexpr seconds token_leeway{30};
/// Verified tokens that one unit remembers; half of them surely, the others if they are used.
inline constexpr std::size_t verified_tokens = 20'000;
inline constexpr std::size_t verified_token_bytes = 64 * 1024 * 1024;
/// Views of the policy that one unit remembers: kinds of callers, not callers.
inline constexpr std::size_t policy_views = 1000;
/// An issuer's key set: its size, its keys, and how long a fetch may take.
inline constexpr std::size_t key_set_bytes = 1024 * 1024;
inline constexpr std::size_t key_set_keys = 1000;
/// A key's modulus, exponent and operations. With a larger exponent verifying is slow, and OpenSSL
/// itself refuses to with large moduli; RFC 7517 knows eight operations.
inline constexpr int rsa_bits_least = 2048;
inline constexpr int rsa_bits_most = 8192;
inline constexpr int rsa_exponent_bits = 64;
inline constexpr std::size_t key_operations = 16;
inline constexpr seconds key_set_fetch{10};
/// A key set is fetched anew this often, and no more often than that because a token names a key
/// that it lacks.
inline constexpr seconds key_set_refresh{300};
inline constexpr seconds key_set_again{30};
/// As long as there is no set at all, it is asked for this often.
inline constexpr seconds key_set_retry{5};
/// The last good key set is trusted so long while the issuer can not be reached.
inline constexpr seconds key_set_last{24 * 3600};
/// A stream, and a call that is answered by one, outlives the moment in which its caller showed a
/// token by no more than this, however late that token ends: what has been withdrawn meanwhile
/// (a group, the account) is only heard of by the next token.
inline constexpr seconds token_shown{24 * 3600};
/// The id of an assertion, and assertions that were redeemed and have not expired.
inline constexpr std::size_t jti_bytes = 1024;
inline constexpr std::size_t once_records = 100'000;
/// ONCE LEDGER answers within this, or what was asked of it is refused: it may have to wait for the
/// shared store, twice, and if it dies, it does not answer.
inline constexpr milliseconds once_answer{1500};
/// An assertion that lives longer than this is refused: its id would have to be kept as long.
inline constexpr seconds assertion_life{3600};
/// Fields of a form.
inline constexpr std::size_t form_fields = 64;
/// Client addresses whose futile requests to the token endpoint are counted at a time. Beyond that
/// the others are not counted: whoever has so many addresses is not stopped by counting them.
inline constexpr std::size_t token_addresses = 10'000;
/// Requests to the token endpoint that may wait for keys while these are fetched.
inline constexpr std::size_t token_requests_waiting = 1024;

// --- guards --------------------------------------------------------------------------------------
/// Principals whose requests are counted at a time, in one process; each for two minutes after its
/// last. Beyond that the others come in uncounted: only an issuer that is trusted can name so many,
/// and refusing all of them would be worse. (Other scopes are as many as the configuration names.)
inline constexpr std::size_t rate_windows = 100'000;
/// Consumptions that are counted, of one process and kind of period. The configuration names who
/// has a budget, but discovery may replace the names, and what is used is kept to the period's end.
inline constexpr std::size_t budget_records = 100'000;
/// What invocations cost, as one unit remembers it: by upstream, and by upstream and tenant.
inline constexpr std::size_t price_list = 10'000;

// --- credentials towards upstreams ---------------------------------------------------------------
/// A token endpoint's answer: how large, and how long it may take.
inline constexpr std::size_t token_answer_bytes = 1024 * 1024;
/// A token endpoint's `error`, as the log tells it: what is longer is no code.
inline constexpr std::size_t error_code_bytes = 64;
inline constexpr seconds token_fetch{10};
/// No token is taken to live longer, whatever its server says.
inline constexpr seconds token_life_most{10 * 365 * 24 * 3600};
/// A token is replaced this long before it expires; one that says nothing is kept that long.
inline constexpr seconds token_margin{60};
inline constexpr seconds token_unspoken{300};
/// Tokens kept for callers at one upstream, on one unit.
inline constexpr std::size_t exchanged_tokens = 10'000;
/// A token that the upstream refuses is replaced, but not more often than this.
inline constexpr seconds credential_renewal{5};
/// After a token could not be had, it is not asked for again before this.
inline constexpr seconds failed_token{1};
/// Callers whose tokens fail alternate with others whose do not: all of that is one outage for the
/// log, until nobody has failed for this long. So many are told apart.
inline constexpr seconds credential_outage{600};
inline constexpr std::size_t credential_outage_callers = 1000;
/// An assertion by which the gateway says who it is (RFC 7523 §2.2) lives this long: for clocks
/// that differ, and no longer than one request takes.
inline constexpr seconds client_assertion{120};

inline constexpr std::array of_tokens{
    // clang-format off
    row{"token_bytes", bytes(token_bytes), "401; of an assertion: `invalid_grant`; of an upstream's credential: it failed"},
    row{"key_name_bytes", bytes(key_name_bytes), "401; such a key of an issuer is not used"},
    row{"token_audiences", token_audiences, "401"},
    row{"token_leeway", token_leeway, "beyond it a token is too early or too late: 401"},
    row{"verified_tokens", verified_tokens, "per unit: others are verified again"},
    row{"verified_token_bytes", bytes(verified_token_bytes), "the same"},
    row{"policy_views", policy_views, "per unit: they are made anew"},
    row{"key_set_bytes", bytes(key_set_bytes), "the fetch failed"},
    row{"key_set_keys", key_set_keys, "the fetch failed"},
    row{"rsa_bits_least", rsa_bits_least, "such a key is not used"},
    row{"rsa_bits_most", rsa_bits_most, "such a key is not used"},
    row{"rsa_exponent_bits", rsa_exponent_bits, "such a key is not used"},
    row{"key_operations", key_operations, "such a key is not used"},
    row{"key_set_fetch", key_set_fetch, "the fetch failed"},
    row{"key_set_refresh", key_set_refresh, "a key set is fetched again"},
    row{"key_set_again", key_set_again, "a token whose key is unknown does not have it fetched before this"},
    row{"key_set_retry", key_set_retry, "a key set that was never had is fetched again"},
    row{"key_set_last", key_set_last, "in an outage: the issuer's tokens are refused"},
    row{"token_shown", token_shown, "streams and answers by streams end, unless a token has been shown again"},
    row{"jti_bytes", bytes(jti_bytes), "`invalid_grant`"},
    row{"once_records", once_records, "503"},
    row{"once_answer", once_answer, "503"},
    row{"assertion_life", assertion_life, "`invalid_grant`"},
    row{"form_fields", form_fields, "`invalid_request`"},
    row{"token_addresses", token_addresses, "further addresses are not counted"},
    row{"token_requests_waiting", token_requests_waiting, "429"},
    // clang-format on
};

inline constexpr std::array of_guards{
    // clang-format off
    row{"rate_windows", rate_windows, "in the process: further principals come in uncounted, and the log warns"},
    row{"budget_records", budget_records, "in the process and for each kind of period: further ones are not charged, and the log warns"},
    row{"price_list", price_list, "per unit: it is made anew"},
    // clang-format on
};

inline constexpr std::array of_credentials{
    // clang-format off
    row{"token_answer_bytes", bytes(token_answer_bytes), "the credential can not be had"},
    row{"error_code_bytes", bytes(error_code_bytes), "the log does not name it"},
    row{"token_fetch", token_fetch, "the credential can not be had"},
    row{"token_life_most", token_life_most, "a token is taken to live no longer"},
    row{"token_margin", token_margin, "before it expires, a token is replaced"},
    row{"token_unspoken", token_unspoken, "a token that does not say how long it lives is replaced"},
    row{"exchanged_tokens", exchanged_tokens, "per upstream and unit: the longest unused is asked for again"},
    row{"credential_renewal", credential_renewal, "a refused token is not replaced again before this"},
    row{"failed_token", failed_token, "a token that could not be had is not asked for again before this"},
    row{"credential_outage", credential_outage, "without a failure: the outage is over for the log"},
    row{"credential_outage_callers", credential_outage_callers, "further callers are not told apart"},
    row{"client_assertion", client_assertion, "how long an assertion of the gateway's lives"},
    // clang-format on
};

}  // namespace gate::limits
