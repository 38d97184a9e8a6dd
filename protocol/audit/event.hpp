#pragma once
/// The audit event: one per terminal response (requirements, "Audit event"). Built at one place
/// only, the pipeline's exit door; written by sinks as one JSON object a line.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/trace/ids.hpp"

namespace gate::audit {

enum class outcome : std::uint8_t {
  ok,
  error,
  denied,
  rate_limited,
  unauthenticated,
  upstream_down,
  forbidden,
  budget_exhausted,
};
/// What each is called, in the audit trail and as a label of metrics.
inline constexpr std::array<std::string_view, 8> outcomes{
    "ok",        "error",           "denied", "rate_limited", "unauthenticated", "upstream_down",
    "forbidden", "budget_exhausted"};
constexpr std::string_view to_string(outcome o) noexcept {
  return outcomes[static_cast<std::size_t>(o)];
}

/// The method of what ended before it was an MCP request, or never was one.
inline constexpr std::string_view not_mcp = "http";
/// That of a method without a row in protocol/mcp/methods.hpp, as metrics have it; events have what
/// the client called it.
inline constexpr std::string_view other_method = "other";
/// That of requests to the token endpoint.
inline constexpr std::string_view token_endpoint = "oauth/token";
/// That of a client's answer to what nobody asked, or to a request that MCP does not know.
inline constexpr std::string_view response = "response";

enum class decision : std::uint8_t { none, allow, deny };

struct event {
  std::chrono::system_clock::time_point time;
  std::string principal, issuer;  ///< left out when empty
  std::string method;             ///< MCP method, or "http" for refusals before MCP
  std::string name;               ///< namespaced name, or URI
  std::string upstream;
  std::string owner_org, owner_team;  ///< whose that upstream is
  audit::decision decision = decision::none;
  std::string rule_id;
  audit::outcome outcome = outcome::error;
  std::string error;
  std::chrono::microseconds latency{0};
  std::string tenant;
  std::uint32_t upstream_calls = 0;
  std::optional<std::uint64_t> items_served;
  std::string usage;        ///< raw JSON, verbatim from the upstream's result
  trace::trace_id trace{};  ///< that it belongs to; zeros: to none that is known
  /// INGRESS's number of the request, on its unit. Not told: it names nothing elsewhere.
  std::uint64_t request = 0;
};

/// What takes the place of a `usage` that can not be told: too long, nested too deeply, or not text
/// that every reader of JSON takes (not UTF-8, a lone surrogate). Raw JSON.
std::string usage_marker(std::string_view why, std::size_t bytes);
/// `raw`, the JSON of a result's `usage`, as the trail tells it: itself, or the marker.
std::string tellable_usage(std::string_view raw);

/// Appends the event as one line of JSON in UTF-8, LF included, whatever is in it. Times are RFC
/// 3339 UTC with milliseconds, `latencyMs` a number with up to three decimals; absent members are
/// left out, texts beyond `limits::audit_text_bytes` cut off.
void append_line(std::string& out, const event& e);

/// `2026-11-21T09:30:00.123Z`
std::string rfc3339(std::chrono::system_clock::time_point t);

}  // namespace gate::audit
