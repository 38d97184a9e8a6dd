#pragma once
/// Every ending that the gateway itself chooses, in one table: HTTP status, JSON-RPC code for both
/// protocol generations, audit outcome, rejection metric, and whether trying again can help. What
/// an upstream says is never in here: it passes through as it is.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/audit/event.hpp"
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
  rate_limited,
  overloaded,
  parse_error,
  invalid_request,
  session_required,
  session_unknown,
  unsupported_version,
  unsupported_era,
  server_failed,
  // Within MCP: answered with HTTP 200 and a JSON-RPC error.
  method_unknown,
  invalid_params,
  cursor_invalid,
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
    refusal_row{reason::rate_limited,           "rate_limited",           429, -32000, -32600, audit::outcome::rate_limited,     rejection::rate_limited,     true},
    refusal_row{reason::overloaded,             "overloaded",             503, -32000, -32603, audit::outcome::error,            rejection::none,             true},
    refusal_row{reason::parse_error,            "parse_error",            400, -32700, -32700, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::invalid_request,        "invalid_request",        400, -32600, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::session_required,       "session_required",       400, -32000, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::session_unknown,        "session_unknown",        404, -32001, -32600, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unsupported_version,    "unsupported_version",    400, -32000, -32022, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::unsupported_era,        "unsupported_era",        400, -32022, -32022, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::server_failed,          "server_failed",          502, -32603, -32603, audit::outcome::error,            rejection::none,             true},
    refusal_row{reason::method_unknown,         "method_unknown",         200, -32601, -32601, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::invalid_params,         "invalid_params",         200, -32602, -32602, audit::outcome::error,            rejection::none,             false},
    refusal_row{reason::cursor_invalid,         "cursor_invalid",         200, -32602, -32602, audit::outcome::error,            rejection::none,             false},
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
  return row(r).http_status == 200 || r == reason::unsupported_era || r == reason::server_failed;
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

/// `{"gate":{"reason","upstream"?,"retryAfterMs"?,"resetsAt"?,"tenant"?},…}`: the `data` of the
/// error object.
std::string refusal_data(const refusal& r);

}  // namespace gate
