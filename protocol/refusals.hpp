#pragma once
/// Every ending that the gateway itself chooses, in one table: HTTP status, JSON-RPC code for both
/// protocol generations, audit outcome, rejection metric, and whether trying again can help; and in
/// two more, why an upstream gives no answer, and the token endpoint no token. What an upstream
/// says is never in here: it passes through as it is.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/metrics.hpp"

namespace gate {

enum class reason : std::uint8_t {
  // Before MCP: answered with an HTTP status and, on the MCP path, an error object without id.
  bad_request,
  timeout,
  forbidden_host,
  forbidden_origin,
  body_too_large,
  not_found,
  method_not_allowed,
  not_acceptable,
  unsupported_media_type,
  unauthenticated,
  tenant_ambiguous,
  not_a_viewer,
  rate_limited,
  overloaded,
  parse_error,
  invalid_request,
  session_required,
  session_unknown,
  unsupported_version,
  unsupported_era,
  header_mismatch,
  envelope_invalid,
  capability_missing,
  server_failed,
  // Within MCP: answered with HTTP 200 and a JSON-RPC error.
  method_unknown,
  invalid_params,
  cursor_invalid,
  state_invalid,
  unknown_name,
  policy_denied,
  upstream_rate_limited,
  upstream_down,
  budget_exhausted,
  task_unknown,
  resource_unknown,
  internal,
};

struct refusal_row {
  gate::reason reason;
  /// `data.gate.reason` of the answer.
  std::string_view word;
  int http_status;
  /// To clients of the session generation (initialize handshake).
  int session_code;
  /// To stateless clients (2026-07-28 reserves -32020…-32099 and forbids -32002).
  int stateless_code;
  audit::outcome outcome;
  gate::rejection rejection;
  bool transient;
};

inline constexpr std::array refusals{
    // clang-format off
    refusal_row{reason::bad_request,            "bad_request",            400, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::timeout,                "timeout",                408, -32000, -32600, audit::outcome::error,            rejection::none,             true},
    refusal_row{reason::forbidden_host,         "forbidden_host",         403, -32000, -32600, audit::outcome::forbidden,        rejection::forbidden_host,   false},
    refusal_row{reason::forbidden_origin,       "forbidden_origin",       403, -32000, -32600, audit::outcome::forbidden,        rejection::forbidden_origin, false},
    refusal_row{reason::body_too_large,         "body_too_large",         413, -32000, -32600, audit::outcome::error,            rejection::body_too_large,   false},
    refusal_row{reason::not_found,              "not_found",              404, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::method_not_allowed,     "method_not_allowed",     405, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::not_acceptable,         "not_acceptable",         406, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unsupported_media_type, "unsupported_media_type", 415, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unauthenticated,        "unauthenticated",        401, -32000, -32600, audit::outcome::unauthenticated,  rejection::unauthenticated,  false},
    refusal_row{reason::tenant_ambiguous,       "tenant_ambiguous",       403, -32000, -32600, audit::outcome::denied,           rejection::none,             false},
    refusal_row{reason::not_a_viewer,           "not_a_viewer",           403, -32000, -32600, audit::outcome::denied,           rejection::none,             false},
    refusal_row{reason::rate_limited,           "rate_limited",           429, -32000, -32600, audit::outcome::rate_limited,     rejection::rate_limited,     true},
    refusal_row{reason::overloaded,             "overloaded",             503, -32000, -32603, audit::outcome::error,            rejection::none,             true},
    refusal_row{reason::parse_error,            "parse_error",            400, -32700, -32700, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::invalid_request,        "invalid_request",        400, -32600, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::session_required,       "session_required",       400, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::session_unknown,        "session_unknown",        404, -32001, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unsupported_version,    "unsupported_version",    400, -32000, -32022, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unsupported_era,        "unsupported_era",        400, -32022, -32022, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::header_mismatch,        "header_mismatch",        400, -32020, -32020, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::envelope_invalid,       "envelope_invalid",       400, -32602, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::capability_missing,     "capability_missing",     400, -32602, -32021, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::server_failed,          "server_failed",          502, -32603, -32603, audit::outcome::error,            rejection::none,             true},
    refusal_row{reason::method_unknown,         "method_unknown",         200, -32601, -32601, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::invalid_params,         "invalid_params",         200, -32602, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::cursor_invalid,         "cursor_invalid",         200, -32602, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::state_invalid,          "state_invalid",          200, -32602, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unknown_name,           "unknown_name",           200, -32043, -31043, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::policy_denied,          "policy_denied",          200, -32042, -31042, audit::outcome::denied,           rejection::none,             false},
    refusal_row{reason::upstream_rate_limited,  "rate_limited",           200, -32040, -31040, audit::outcome::rate_limited,     rejection::none,             true},
    refusal_row{reason::upstream_down,          "upstream_down",          200, -32041, -31041, audit::outcome::upstream_down,    rejection::none,             true},
    refusal_row{reason::budget_exhausted,       "budget_exhausted",       200, -32044, -31044, audit::outcome::budget_exhausted, rejection::none,             false},
    refusal_row{reason::task_unknown,           "task_unknown",           200, -32002, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::resource_unknown,       "resource_unknown",       200, -32002, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::internal,               "internal",               200, -32603, -32603, audit::outcome::error,            rejection::none,             false},
    // clang-format on
};

constexpr const refusal_row& row(reason r) {
  return refusals[static_cast<std::size_t>(r)];
}

namespace detail {
consteval bool rows_in_order() {
  for (std::size_t i = 0; i < refusals.size(); ++i)
    if (static_cast<std::size_t>(refusals[i].reason) != i) return false;
  return refusals.size() == static_cast<std::size_t>(reason::internal) + 1;
}
}  // namespace detail
static_assert(detail::rows_in_order(), "refusals must list every reason, in the order of the enum");

/// Does the answer name the request by its `id`? What ends by an HTTP status ended before it was
/// anybody's request: its id was perhaps never read, and the status answers it. Not so where a
/// request was taken, or its generation knows no other way to be told.
constexpr bool carries_id(reason r) {
  switch (r) {
    case reason::unsupported_era:
    case reason::header_mismatch:
    case reason::envelope_invalid:
    case reason::capability_missing:
    case reason::server_failed:
      return true;
    default:
      return row(r).http_status == 200;
  }
}

/// What a client of this generation gets. (The stateless one says by the status, too, that there is
/// no such method.)
constexpr int http_status(reason r, mcp::era e) {
  return e == mcp::era::stateless && r == reason::method_unknown ? 404 : row(r).http_status;
}
constexpr int error_code(reason r, mcp::era e) {
  return e == mcp::era::stateless ? row(r).stateless_code : row(r).session_code;
}

/// One refusal of one request.
struct refusal {
  gate::reason why = reason::internal;
  /// For the client: never names an internal host, URL or variable.
  std::string message;
  std::string upstream;              ///< id, or empty
  std::int64_t retry_after_ms = -1;  ///< negative: not told
  std::string resets_at{};           ///< RFC 3339: when a budget begins anew; or empty
  std::string tenant{};              ///< id, where it is the tenant's budget; or empty
  std::string more{};                ///< further members of `data`, raw, without braces; or empty
};

// --- the words of -32041 -------------------------------------------------------------------------

/// Why an upstream gives no answer: the WHY of `upstream "ID" unavailable (WHY)`.
enum class no_answer : std::uint8_t {
  connect_failed,
  busy,
  request_failed,
  timed_out,
  credential_unavailable,
  credential_refused,
  circuit_open,
  crowded,
};
struct no_answer_row {
  no_answer why;
  std::string_view word;
  std::string_view means;
};
inline constexpr std::array no_answers{
    // clang-format off
    no_answer_row{no_answer::connect_failed,         "connect failed",                     "no connection or no session with it; nothing was sent"},
    no_answer_row{no_answer::busy,                   "busy",                               "it has no room for another session"},
    no_answer_row{no_answer::request_failed,         "request failed",                     "it broke off, or answered with something that is no answer"},
    no_answer_row{no_answer::timed_out,              "timed out",                          "it did not answer in time"},
    no_answer_row{no_answer::credential_unavailable, "credential unavailable",             "what it wants to be shown can not be had; the log says why"},
    no_answer_row{no_answer::credential_refused,     "credential refused",                 "it answered 401 or 403"},
    no_answer_row{no_answer::circuit_open,           "circuit open",                       "it failed again and again, and is not asked at the moment"},
    no_answer_row{no_answer::crowded,                "too many requests are in flight",    "one unit waits for as many of its answers as it may"},
    // clang-format on
};

constexpr const no_answer_row& row(no_answer why) {
  return no_answers[static_cast<std::size_t>(why)];
}
constexpr std::string_view to_string(no_answer why) {
  return row(why).word;
}

/// `upstream "ID" unavailable (WHY)`
refusal unavailable_upstream(std::string_view id, no_answer why);
/// `all upstreams unavailable: IDS`, of a list that nobody gave.
refusal unavailable_upstreams(std::string_view ids);
/// For a `requestState` that is not one of this call, whatever is wrong with it.
refusal invalid_state();
/// `the task may be at an upstream that is unavailable: IDS`
refusal unavailable_task(std::string_view ids);

// --- the token endpoint --------------------------------------------------------------------------

/// Why no token is given (RFC 6749 §5.2).
enum class token_denial : std::uint8_t {
  invalid_request,
  unsupported_grant_type,
  invalid_grant,
  invalid_scope,
  invalid_client,
  rate_limited,
  unavailable,
};
struct token_denial_row {
  token_denial why;
  int http_status;
  std::string_view error;  ///< of the answer
  std::string_view when;
  std::string_view headers;  ///< header lines, each ending in CRLF
  audit::outcome outcome;
  gate::rejection rejection;
  token_outcome counted;
};
inline constexpr std::array token_denials{
    // clang-format off
    token_denial_row{token_denial::invalid_request,        400, "invalid_request",         "a parameter is missing or there twice, or it is no form",           "",                                           audit::outcome::error,        rejection::none,                     token_outcome::error},
    token_denial_row{token_denial::unsupported_grant_type, 400, "unsupported_grant_type",  "another grant",                                                     "",                                           audit::outcome::error,        rejection::none,                     token_outcome::error},
    token_denial_row{token_denial::invalid_grant,          400, "invalid_grant",           "anything is wrong with the assertion, or it was used",              "",                                           audit::outcome::error,        rejection::none,                     token_outcome::error},
    token_denial_row{token_denial::invalid_scope,          400, "invalid_scope",           "more scope than the assertion grants",                              "",                                           audit::outcome::error,        rejection::none,                     token_outcome::error},
    token_denial_row{token_denial::invalid_client,         401, "invalid_client",          "two different client ids, malformed Basic credentials",             "WWW-Authenticate: Basic realm=\"token\"\r\n", audit::outcome::error,        rejection::none,                     token_outcome::error},
    token_denial_row{token_denial::rate_limited,           429, "temporarily_unavailable", "over `tokenRateLimitPerMinute`; Retry-After",                       "",                                           audit::outcome::rate_limited, rejection::oauth_token_rate_limited, token_outcome::rate_limited},
    token_denial_row{token_denial::unavailable,            503, "temporarily_unavailable", "the ledger of used assertions is full or restarting; Retry-After",  http::retry_later,                            audit::outcome::error,        rejection::none,                     token_outcome::error},
    // clang-format on
};

constexpr const token_denial_row& row(token_denial why) {
  return token_denials[static_cast<std::size_t>(why)];
}
/// What the endpoint answers to a request that the gateway refused before it came there.
constexpr token_denial token_denial_of(reason r) {
  return row(r).transient ? token_denial::unavailable : token_denial::invalid_request;
}

namespace detail {
consteval bool words_in_order() {
  for (std::size_t i = 0; i < no_answers.size(); ++i)
    if (static_cast<std::size_t>(no_answers[i].why) != i) return false;
  for (std::size_t i = 0; i < token_denials.size(); ++i)
    if (static_cast<std::size_t>(token_denials[i].why) != i) return false;
  return no_answers.size() == static_cast<std::size_t>(no_answer::crowded) + 1 &&
         token_denials.size() == static_cast<std::size_t>(token_denial::unavailable) + 1;
}
}  // namespace detail
static_assert(detail::words_in_order());

// --- what an answer says -------------------------------------------------------------------------

/// `{"gate":{"reason","upstream"?,"retryAfterMs"?,"resetsAt"?,"tenant"?},…}`: the `data` of the
/// error object.
std::string refusal_data(const refusal& r);

}  // namespace gate
