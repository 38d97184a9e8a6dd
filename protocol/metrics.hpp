#pragma once
/// The metric catalogue (requirements, "Metrics"): names, label names and meanings, frozen by the
/// compatibility contract. New dimensions become new series, never new labels.
#include <array>
#include <cstdint>
#include <string_view>

namespace gate {

enum class metric : std::uint8_t {
  requests,
  request_duration,
  upstream_requests,
  upstream_request_duration,
  upstream_breaker_state,
  upstream_endpoint_healthy,
  http_rejections,
  discovery_syncs,
  request_upstream_calls,
  budget_degraded,
  build_info,
  tenant_requests,
  tenant_upstream_calls,
  audit_dropped,
  sessions,
  key_set_fetches,
  token_requests,
  credential_fetches,
  tenant_ambiguous,
  // Of gate-stdio.
  stdio_sessions,
  stdio_max_sessions,
  stdio_spawned,
  stdio_spawn_errors,
  stdio_rejected,
  stdio_build_info,
  stdio_child_failures,
  stdio_lines_dropped,
};

enum class metric_type : std::uint8_t { counter, gauge, histogram };

struct metric_row {
  metric id;
  metric_type type;
  std::string_view name;
  std::array<std::string_view, 2> labels;  ///< empty: unused
  std::string_view help;
};

inline constexpr std::array metric_catalogue{
    // clang-format off
    metric_row{metric::requests,                  metric_type::counter,   "gate_requests_total",                     {"method", "outcome"},    "Requests answered, by MCP method and outcome."},
    metric_row{metric::request_duration,          metric_type::histogram, "gate_request_duration_seconds",           {"method"},               "End-to-end latency of requests."},
    metric_row{metric::upstream_requests,         metric_type::counter,   "gate_upstream_requests_total",            {"upstream", "outcome"},  "Calls to upstreams; a JSON-RPC error from the upstream counts as ok."},
    metric_row{metric::upstream_request_duration, metric_type::histogram, "gate_upstream_request_duration_seconds",  {"upstream"},             "Latency of calls to upstreams."},
    metric_row{metric::upstream_breaker_state,    metric_type::gauge,     "gate_upstream_breaker_state",             {"upstream"},             "Circuit breaker: 0 closed, 1 half-open, 2 open."},
    metric_row{metric::upstream_endpoint_healthy, metric_type::gauge,     "gate_upstream_endpoint_healthy",          {"upstream", "endpoint"}, "Replica endpoints: 1 in rotation, 0 ejected."},
    metric_row{metric::http_rejections,           metric_type::counter,   "gate_http_rejections_total",              {"reason"},               "Requests refused before MCP."},
    metric_row{metric::discovery_syncs,           metric_type::counter,   "gate_discovery_syncs_total",              {"outcome"},              "Discovery polls by outcome."},
    metric_row{metric::request_upstream_calls,    metric_type::histogram, "gate_request_upstream_calls",             {},                       "Upstream calls that one request caused."},
    metric_row{metric::budget_degraded,           metric_type::counter,   "gate_budget_degraded_total",              {},                       "Budget checks that fell back to per-instance enforcement."},
    metric_row{metric::build_info,                metric_type::gauge,     "gate_build_info",                         {"version"},              "Always 1; the version is in the label."},
    metric_row{metric::tenant_requests,           metric_type::counter,   "gate_tenant_requests_total",              {"tenant", "outcome"},    "Requests of a tenant's principals."},
    metric_row{metric::tenant_upstream_calls,     metric_type::counter,   "gate_tenant_upstream_calls_total",        {"tenant"},               "Upstream calls charged to a tenant."},
    metric_row{metric::audit_dropped,             metric_type::counter,   "gate_audit_dropped_total",                {"sink"},                 "Audit events dropped because a sink could not keep up."},
    metric_row{metric::sessions,                  metric_type::gauge,     "gate_sessions",                           {"kind"},                 "Open sessions: client (downstream) and bridged (upstream)."},
    metric_row{metric::key_set_fetches,           metric_type::counter,   "gate_key_set_fetches_total",              {"issuer", "outcome"},    "Fetches of an issuer's signing keys; outcomes ok and error."},
    metric_row{metric::token_requests,            metric_type::counter,   "gate_token_requests_total",               {"outcome"},              "Requests to the token endpoint; outcomes ok, error and rate_limited."},
    metric_row{metric::credential_fetches,        metric_type::counter,   "gate_credential_fetches_total",           {"upstream", "outcome"},  "Token requests for an upstream's credential; outcomes ok and error."},
    metric_row{metric::tenant_ambiguous,          metric_type::counter,   "gate_tenant_ambiguous_total",             {},                       "Requests refused because their principal belongs to several tenants."},
    metric_row{metric::stdio_sessions,            metric_type::gauge,     "gate_stdio_sessions",                     {},                       "gate-stdio: sessions, those included whose processes are still ending."},
    metric_row{metric::stdio_max_sessions,        metric_type::gauge,     "gate_stdio_max_sessions",                 {},                       "gate-stdio: sessions that there may be at a time."},
    metric_row{metric::stdio_spawned,             metric_type::counter,   "gate_stdio_spawned_total",                {},                       "gate-stdio: child processes started, for sessions and for health."},
    metric_row{metric::stdio_spawn_errors,        metric_type::counter,   "gate_stdio_spawn_errors_total",           {},                       "gate-stdio: child processes that could not be started."},
    metric_row{metric::stdio_rejected,            metric_type::counter,   "gate_stdio_rejected_total",               {},                       "gate-stdio: sessions refused at the ceiling."},
    metric_row{metric::stdio_build_info,          metric_type::gauge,     "gate_stdio_build_info",                   {"version"},              "gate-stdio: always 1; the version is in the label."},
    metric_row{metric::stdio_child_failures,      metric_type::counter,   "gate_stdio_child_failures_total",         {},                       "gate-stdio: child processes that ended, or fell silent, before their session did."},
    metric_row{metric::stdio_lines_dropped,       metric_type::counter,   "gate_stdio_lines_dropped_total",          {"stream"},               "gate-stdio: lines of children that were no message, or too long for one."},
    // clang-format on
};

constexpr const metric_row& row(metric m) {
  return metric_catalogue[static_cast<std::size_t>(m)];
}

namespace detail {
consteval bool metrics_in_order() {
  for (std::size_t i = 0; i < metric_catalogue.size(); ++i)
    if (static_cast<std::size_t>(metric_catalogue[i].id) != i) return false;
  return true;
}
}  // namespace detail
static_assert(detail::metrics_in_order());

}  // namespace gate
