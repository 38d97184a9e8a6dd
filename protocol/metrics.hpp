#pragma once
/// The metric catalogue (requirements, "Metrics"): names, label names, the values of labels that
/// are the gateway's own words, and meanings, frozen by the compatibility contract. New dimensions
/// become new series, never new labels.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/webhook/events.hpp"
#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/states.hpp"

namespace gate {

// --- values of labels ----------------------------------------------------------------------------
// Each is an enum, and what its values are called, in the same order.

/// `reason` of gate_http_rejections_total; `none` is not counted there.
enum class rejection : std::uint8_t {
  none,
  body_too_large,
  forbidden_host,
  forbidden_origin,
  unauthenticated,
  rate_limited,
  oauth_token_rate_limited,
};
inline constexpr std::array<std::string_view, 7> rejections{"",
                                                            "body_too_large",
                                                            "forbidden_host",
                                                            "forbidden_origin",
                                                            "unauthenticated",
                                                            "rate_limited",
                                                            "oauth_token_rate_limited"};

/// `outcome` of gate_upstream_requests_total: answered, be it by a JSON-RPC error; nothing was
/// sent; broken, unreadable or late; and not even tried, for one reason or another.
enum class upstream_outcome : std::uint8_t { ok, connect_error, error, rate_limited, circuit_open };
inline constexpr std::array<std::string_view, 5> upstream_outcomes{"ok", "connect_error", "error",
                                                                   "rate_limited", "circuit_open"};

/// `outcome` of what the gateway asks of authorization servers: keys, credentials.
enum class fetch_outcome : std::uint8_t { ok, error };
inline constexpr std::array<std::string_view, 2> fetch_outcomes{"ok", "error"};

/// `outcome` of gate_token_requests_total.
enum class token_outcome : std::uint8_t { ok, error, rate_limited };
inline constexpr std::array<std::string_view, 3> token_outcomes{"ok", "error", "rate_limited"};

/// `outcome` of gate_discovery_syncs_total: what a poll of the source came to.
enum class sync_outcome : std::uint8_t { applied, unchanged, rejected, error };
inline constexpr std::array<std::string_view, 4> sync_outcomes{"applied", "unchanged", "rejected",
                                                               "error"};

/// `outcome` of gate_config_reloads_total: what became of the operator's document when it was to be
/// read again. `error`: nobody could judge it, which is not the document's fault.
enum class reload_outcome : std::uint8_t { applied, rejected, error };
inline constexpr std::array<std::string_view, 3> reload_outcomes{"applied", "rejected", "error"};

/// `op` of gate_store_operations_total: what the shared store is asked for.
enum class store_op : std::uint8_t {
  ping,
  subscribe,
  publish,
  once,
  limit,
  give_back,
  charge,
  add,
  circuit,
  pin,
  find,
  look,
  keep,
  forget,
  session,
};
inline constexpr std::array<std::string_view, 15> store_ops{
    "ping",    "subscribe", "publish", "once", "limit", "give_back", "charge", "add",
    "circuit", "pin",       "find",    "look", "keep",  "forget",    "session"};

/// `outcome` of gate_store_operations_total, and what became of an operation. Of those from
/// `timeout` on no answer came; the store may have done what was asked at a `timeout` and when it
/// was `lost`, and has not heard of it when it was `away` or `overloaded`.
enum class store_outcome : std::uint8_t {
  ok,
  error,       ///< it refused: wrong words, missing rights, a script that failed
  oom,         ///< it has no memory left
  loading,     ///< it is reading its data
  read_only,   ///< it is a replica
  timeout,     ///< no answer within `limits::store_operation`
  lost,        ///< the connection ended before the answer
  away,        ///< it is not there, which was known before
  overloaded,  ///< too much waits for it already
};
inline constexpr std::array<std::string_view, 9> store_outcomes{
    "ok", "error", "oom", "loading", "readonly", "timeout", "lost", "away", "overloaded"};

/// `outcome` of gate_sessions_adopted_total: what came of a session that was not known here.
enum class adoption : std::uint8_t {
  adopted,  ///< it goes on here
  unknown,  ///< there is no record of it
  foreign,  ///< it is another principal's
  broken,   ///< its record was not sealed by this fleet, or says what can not be
  full,     ///< there is no room for it
  away,     ///< the store did not answer
};
inline constexpr std::array<std::string_view, 6> adoptions{"adopted", "unknown", "foreign",
                                                           "broken",  "full",    "away"};

/// `kind` of gate_sessions: of clients, and theirs with upstreams.
enum class session_kind : std::uint8_t { client, bridged };
inline constexpr std::array<std::string_view, 2> session_kinds{"client", "bridged"};

/// `kind` of gate_upstream_sessions: of the gateway's own, for lists, and of its clients.
enum class upstream_session : std::uint8_t { root, bridged };
inline constexpr std::array<std::string_view, 2> upstream_session_kinds{"root", "bridged"};

/// `kind` of gate_streams: event streams that are open.
enum class stream_kind : std::uint8_t {
  session,   ///< the one that a client's session has for itself
  answer,    ///< what the answer of a request has become
  activity,  ///< of `/api/activity`
};
inline constexpr std::array<std::string_view, 3> stream_kinds{"session", "answer", "activity"};

/// `outcome` of gate_list_cache_total: what a request for a merged list found.
enum class list_found : std::uint8_t {
  hit,   ///< all that it takes was here
  miss,  ///< it had to wait for some upstream
};
inline constexpr std::array<std::string_view, 2> lists_found{"hit", "miss"};

/// `to` of gate_upstream_breaker_transitions_total.
enum class circuit : std::uint8_t { closed, half_open, open };
inline constexpr std::array<std::string_view, 3> circuits{"closed", "half-open", "open"};

/// `reason` of gate_audit_dropped_total; its `sink` is the type of the place that events go to.
enum class audit_loss : std::uint8_t {
  overflow,  ///< more waited than there is room for
  failed,    ///< they could not be written or delivered
};
inline constexpr std::array<std::string_view, 2> audit_losses{"overflow", "failed"};

/// `reason` of gate_trace_dropped_total.
enum class trace_loss : std::uint8_t {
  overflow,  ///< more waited than there is room for
  failed,    ///< they could not be delivered
  refused,   ///< the collector did not take them
};
inline constexpr std::array<std::string_view, 3> trace_losses{"overflow", "failed", "refused"};

/// `stream` of gate_stdio_lines_dropped_total: where a child says it.
enum class child_stream : std::uint8_t { standard_output };
inline constexpr std::array<std::string_view, 1> child_streams{"stdout"};

// Of gate-discovery.

/// `reason` of gate_kubernetes_left_out: why a Service that wants to be told of is not.
enum class absence : std::uint8_t {
  invalid,  ///< its name, annotations or ports are wrong, or it is of a kind that leads elsewhere
  secret,   ///< it names a variable that no Service may name
  host,     ///< the gateway allows no upstream, or no credential, at its name
  space,    ///< its namespace of tools is reserved, or an older Service has it
  crowded,  ///< there are too many older ones
};
inline constexpr std::array<std::string_view, 5> absences{"invalid", "secret", "host", "namespace",
                                                          "crowded"};

/// `outcome` of gate_kubernetes_lists_total and gate_kubernetes_watches_total: how it ended, or why
/// it did not begin.
enum class cluster_outcome : std::uint8_t {
  complete,    ///< all are listed; the API server ended the watch, as it was asked to
  expired,     ///< 410: of a version that is no more
  refused,     ///< another status than 200, or an ERROR in a watch
  broken,      ///< no connection, one that broke off, or no token to ask with
  late,        ///< no whole answer in time, or a watch that was not ended
  unreadable,  ///< what was said is no list or event, or beyond a bound
};
inline constexpr std::array<std::string_view, 6> cluster_outcomes{
    "complete", "expired", "refused", "broken", "late", "unreadable"};

// Of gate-hooks: words that are spoken elsewhere, too.
namespace webhook {
/// `type` of gate_hooks_events_total.
constexpr const auto& words_of(event_type) {
  return event_names;
}
/// `outcome` of gate_hooks_attempts_total.
constexpr const auto& words_of(ending) {
  return ending_names;
}
/// `status` of gate_hooks_queue.
constexpr const auto& words_of(state) {
  return state_names;
}
}  // namespace webhook

constexpr const auto& words_of(rejection) {
  return rejections;
}
constexpr const auto& words_of(upstream_outcome) {
  return upstream_outcomes;
}
constexpr const auto& words_of(fetch_outcome) {
  return fetch_outcomes;
}
constexpr const auto& words_of(token_outcome) {
  return token_outcomes;
}
constexpr const auto& words_of(sync_outcome) {
  return sync_outcomes;
}
constexpr const auto& words_of(reload_outcome) {
  return reload_outcomes;
}
constexpr const auto& words_of(absence) {
  return absences;
}
constexpr const auto& words_of(cluster_outcome) {
  return cluster_outcomes;
}
constexpr const auto& words_of(audit_loss) {
  return audit_losses;
}
constexpr const auto& words_of(trace_loss) {
  return trace_losses;
}
constexpr const auto& words_of(store_op) {
  return store_ops;
}
constexpr const auto& words_of(store_outcome) {
  return store_outcomes;
}
constexpr const auto& words_of(adoption) {
  return adoptions;
}
constexpr const auto& words_of(session_kind) {
  return session_kinds;
}
constexpr const auto& words_of(upstream_session) {
  return upstream_session_kinds;
}
constexpr const auto& words_of(stream_kind) {
  return stream_kinds;
}
constexpr const auto& words_of(list_found) {
  return lists_found;
}
constexpr const auto& words_of(circuit) {
  return circuits;
}
constexpr const auto& words_of(child_stream) {
  return child_streams;
}

template <class E>
concept label_value = requires(E e) {
  words_of(e);
};

template <label_value E>
constexpr std::string_view to_string(E e) {
  return words_of(e)[static_cast<std::size_t>(e)];
}

/// `outcome` of requests: those of audit events, but for what was refused before it was a request,
/// which gate_http_rejections_total counts.
inline constexpr std::array counted_outcomes{
    audit::outcome::ok,           audit::outcome::error,         audit::outcome::denied,
    audit::outcome::rate_limited, audit::outcome::upstream_down, audit::outcome::budget_exhausted};
inline constexpr auto counted_outcome_words = [] {
  std::array<std::string_view, counted_outcomes.size()> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_string(counted_outcomes[i]);
  return out;
}();

// --- the catalogue -------------------------------------------------------------------------------

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
  store_up,
  store_operations,
  store_duration,
  sessions_adopted,
  trace_dropped,
  streams,
  list_cache,
  breaker_transitions,
  event_loop_delay,
  upstream_sessions,
  config_reloads,
  config_outdated,
  // Of gate-stdio.
  stdio_sessions,
  stdio_max_sessions,
  stdio_spawned,
  stdio_spawn_errors,
  stdio_rejected,
  stdio_build_info,
  stdio_child_failures,
  stdio_lines_dropped,
  // Of gate-hooks.
  hooks_events,
  hooks_attempts,
  hooks_attempt_duration,
  hooks_queue,
  hooks_oldest_pending,
  hooks_webhooks,
  hooks_build_info,
  // Of gate-discovery.
  kubernetes_upstreams,
  kubernetes_left_out,
  kubernetes_document_bytes,
  kubernetes_lists,
  kubernetes_watches,
  kubernetes_out_of_touch,
  kubernetes_build_info,
};

enum class metric_type : std::uint8_t { counter, gauge, histogram };

struct metric_row {
  metric id;
  metric_type type;
  std::string_view name;
  std::array<std::string_view, 2> labels;  ///< empty: unused
  std::string_view help;
  /// Of its last label, if these are the gateway's own words.
  std::span<const std::string_view> values{};
};

inline constexpr std::array metric_catalogue{
    // clang-format off
    metric_row{metric::requests,                  metric_type::counter,   "gate_requests_total",                     {"method", "outcome"},    "Requests answered, by MCP method and outcome.", counted_outcome_words},
    metric_row{metric::request_duration,          metric_type::histogram, "gate_request_duration_seconds",           {"method"},               "End-to-end latency of requests."},
    metric_row{metric::upstream_requests,         metric_type::counter,   "gate_upstream_requests_total",            {"upstream", "outcome"},  "Calls to upstreams; a JSON-RPC error from the upstream counts as ok.", upstream_outcomes},
    metric_row{metric::upstream_request_duration, metric_type::histogram, "gate_upstream_request_duration_seconds",  {"upstream"},             "Latency of calls to upstreams."},
    metric_row{metric::upstream_breaker_state,    metric_type::gauge,     "gate_upstream_breaker_state",             {"upstream"},             "Circuit breaker: 0 closed, 1 half-open, 2 open."},
    metric_row{metric::upstream_endpoint_healthy, metric_type::gauge,     "gate_upstream_endpoint_healthy",          {"upstream", "endpoint"}, "Replica endpoints: 1 in rotation, 0 ejected."},
    metric_row{metric::http_rejections,           metric_type::counter,   "gate_http_rejections_total",              {"reason"},               "Requests refused before MCP.", std::span(rejections).subspan(1)},
    metric_row{metric::discovery_syncs,           metric_type::counter,   "gate_discovery_syncs_total",              {"outcome"},              "Discovery polls by outcome.", sync_outcomes},
    metric_row{metric::request_upstream_calls,    metric_type::histogram, "gate_request_upstream_calls",             {},                       "Upstream calls that one request caused."},
    metric_row{metric::budget_degraded,           metric_type::counter,   "gate_budget_degraded_total",              {},                       "Budget checks that fell back to per-instance enforcement."},
    metric_row{metric::build_info,                metric_type::gauge,     "gate_build_info",                         {"version"},              "Always 1; the version is in the label."},
    metric_row{metric::tenant_requests,           metric_type::counter,   "gate_tenant_requests_total",              {"tenant", "outcome"},    "Requests of a tenant's principals.", counted_outcome_words},
    metric_row{metric::tenant_upstream_calls,     metric_type::counter,   "gate_tenant_upstream_calls_total",        {"tenant"},               "Upstream calls charged to a tenant."},
    metric_row{metric::audit_dropped,             metric_type::counter,   "gate_audit_dropped_total",                {"sink", "reason"},       "Audit events dropped, by type of sink: it could not keep up, or take them.", audit_losses},
    metric_row{metric::sessions,                  metric_type::gauge,     "gate_sessions",                           {"kind"},                 "Open sessions: client (downstream) and bridged (upstream).", session_kinds},
    metric_row{metric::key_set_fetches,           metric_type::counter,   "gate_key_set_fetches_total",              {"issuer", "outcome"},    "Fetches of an issuer's signing keys; outcomes ok and error.", fetch_outcomes},
    metric_row{metric::token_requests,            metric_type::counter,   "gate_token_requests_total",               {"outcome"},              "Requests to the token endpoint; outcomes ok, error and rate_limited.", token_outcomes},
    metric_row{metric::credential_fetches,        metric_type::counter,   "gate_credential_fetches_total",           {"upstream", "outcome"},  "Token requests for an upstream's credential; outcomes ok and error.", fetch_outcomes},
    metric_row{metric::tenant_ambiguous,          metric_type::counter,   "gate_tenant_ambiguous_total",             {},                       "Requests refused because their principal belongs to several tenants."},
    metric_row{metric::store_up,                  metric_type::gauge,     "gate_store_up",                           {},                       "The shared store: 1 there, 0 away. Absent without one."},
    metric_row{metric::store_operations,          metric_type::counter,   "gate_store_operations_total",             {"op", "outcome"},        "What the shared store was asked, and what became of it.", store_outcomes},
    metric_row{metric::store_duration,            metric_type::histogram, "gate_store_duration_seconds",             {},                       "Time from asking the shared store to its answer."},
    metric_row{metric::sessions_adopted,          metric_type::counter,   "gate_sessions_adopted_total",             {"outcome"},              "Sessions of other instances that clients came with: adopted, or why not. Absent without a store.", adoptions},
    metric_row{metric::trace_dropped,             metric_type::counter,   "gate_trace_dropped_total",                {"reason"},               "Spans dropped: the collector could not keep up, could not be reached, or did not take them. Absent without `tracing`.", trace_losses},
    metric_row{metric::streams,                   metric_type::gauge,     "gate_streams",                            {"kind"},                 "Open event streams: of sessions, of answers, of /api/activity; counted every second.", stream_kinds},
    metric_row{metric::list_cache,                metric_type::counter,   "gate_list_cache_total",                   {"outcome"},              "Requests for lists: served from what was here (hit), or after upstreams were asked (miss).", lists_found},
    metric_row{metric::breaker_transitions,       metric_type::counter,   "gate_upstream_breaker_transitions_total", {"upstream", "to"},       "Changes of an upstream's circuit breaker, by the state that it came to.", circuits},
    metric_row{metric::event_loop_delay,          metric_type::histogram, "gate_event_loop_delay_seconds",           {},                       "How late a timer of each unit is, once a second: so long whatever comes waits for its thread."},
    metric_row{metric::upstream_sessions,         metric_type::gauge,     "gate_upstream_sessions",                  {"upstream", "kind"},     "Open sessions with an upstream: root (for lists) and bridged (for the calls of one client each).", upstream_session_kinds},
    metric_row{metric::config_reloads,            metric_type::counter,   "gate_config_reloads_total",               {"outcome"},              "Reloads of the operator's document, by SIGHUP, --watch or an embedding program; error: nobody could judge it.", reload_outcomes},
    metric_row{metric::config_outdated,           metric_type::gauge,     "gate_config_outdated",                    {},                       "1: the last reload of the operator's document was not applied, so that what runs is an earlier one; 0: it runs."},
    metric_row{metric::stdio_sessions,            metric_type::gauge,     "gate_stdio_sessions",                     {},                       "gate-stdio: sessions, those included whose processes are still ending."},
    metric_row{metric::stdio_max_sessions,        metric_type::gauge,     "gate_stdio_max_sessions",                 {},                       "gate-stdio: sessions that there may be at a time."},
    metric_row{metric::stdio_spawned,             metric_type::counter,   "gate_stdio_spawned_total",                {},                       "gate-stdio: child processes started, for sessions and for health."},
    metric_row{metric::stdio_spawn_errors,        metric_type::counter,   "gate_stdio_spawn_errors_total",           {},                       "gate-stdio: child processes that could not be started."},
    metric_row{metric::stdio_rejected,            metric_type::counter,   "gate_stdio_rejected_total",               {},                       "gate-stdio: sessions refused at the ceiling."},
    metric_row{metric::stdio_build_info,          metric_type::gauge,     "gate_stdio_build_info",                   {"version"},              "gate-stdio: always 1; the version is in the label."},
    metric_row{metric::stdio_child_failures,      metric_type::counter,   "gate_stdio_child_failures_total",         {},                       "gate-stdio: child processes that ended, or fell silent, before their session did."},
    metric_row{metric::stdio_lines_dropped,       metric_type::counter,   "gate_stdio_lines_dropped_total",          {"stream"},               "gate-stdio: lines of children that were no message, or too long for one.", child_streams},
    metric_row{metric::hooks_events,              metric_type::counter,   "gate_hooks_events_total",                 {"type"},                 "gate-hooks: events accepted, by type; one that came again is not counted again.", webhook::event_names},
    metric_row{metric::hooks_attempts,            metric_type::counter,   "gate_hooks_attempts_total",               {"outcome"},              "gate-hooks: attempts to deliver, by what became of them.", webhook::ending_names},
    metric_row{metric::hooks_attempt_duration,    metric_type::histogram, "gate_hooks_attempt_seconds",              {},                       "gate-hooks: time from sending a delivery to its answer, or to giving up."},
    metric_row{metric::hooks_queue,               metric_type::gauge,     "gate_hooks_queue",                        {"status"},               "gate-hooks: deliveries that are kept, by status; dead ones are the dead-letter queue.", webhook::state_names},
    metric_row{metric::hooks_oldest_pending,      metric_type::gauge,     "gate_hooks_oldest_pending_seconds",       {},                       "gate-hooks: for how long the delivery has been due that waits longest; 0: none is late."},
    metric_row{metric::hooks_webhooks,            metric_type::gauge,     "gate_hooks_webhooks",                     {},                       "gate-hooks: webhooks, enabled or not."},
    metric_row{metric::hooks_build_info,          metric_type::gauge,     "gate_hooks_build_info",                   {"version"},              "gate-hooks: always 1; the version is in the label."},
    metric_row{metric::kubernetes_upstreams,      metric_type::gauge,     "gate_kubernetes_upstreams",               {},                       "gate-discovery: Services that are upstreams of the document."},
    metric_row{metric::kubernetes_left_out,       metric_type::gauge,     "gate_kubernetes_left_out",                {"reason"},               "gate-discovery: Services that want to be upstreams and are left out.", absences},
    metric_row{metric::kubernetes_document_bytes, metric_type::gauge,     "gate_kubernetes_document_bytes",          {},                       "gate-discovery: size of the document; 0: there is none, since the Services are not known yet."},
    metric_row{metric::kubernetes_lists,          metric_type::counter,   "gate_kubernetes_lists_total",             {"outcome"},              "gate-discovery: attempts to list all Services.", cluster_outcomes},
    metric_row{metric::kubernetes_watches,        metric_type::counter,   "gate_kubernetes_watches_total",           {"outcome"},              "gate-discovery: watches by how they ended, those included that did not begin.", cluster_outcomes},
    metric_row{metric::kubernetes_out_of_touch,   metric_type::gauge,     "gate_kubernetes_out_of_touch_seconds",    {},                       "gate-discovery: for how long nothing has been known of the cluster; 0: a watch tells what happens."},
    metric_row{metric::kubernetes_build_info,     metric_type::gauge,     "gate_kubernetes_build_info",              {"version"},              "gate-discovery: always 1; the version is in the label."},
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
