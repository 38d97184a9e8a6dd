#pragma once
/// The configuration document as plain data: what the operator wants, before anything is compiled
/// or opened. Every member initializer here is the documented default of its field;
/// config/describe.hpp adds keys, bounds and sentences. An absent optional means "not configured",
/// which for some sections differs from "configured with defaults" (no policy allows all, an empty
/// one denies all).
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/strategies.hpp"

namespace gate::config {

using std::chrono::milliseconds;
using std::chrono::seconds;
using text_map = std::map<std::string, std::string>;
using text_list = std::vector<std::string>;

// --- shared shapes -------------------------------------------------------------------------------

enum class budget_period { hour, day, month };

/// Consumption allowance over a UTC calendar period, in upstream invocations.
struct budget {
  budget_period period = budget_period::month;
  std::int64_t upstream_calls = 0;  ///< always positive in a valid document
  bool operator==(const budget&) const = default;
};

struct rate_limit {
  std::int64_t requests_per_minute = 0;  ///< 0: no limit
  bool operator==(const rate_limit&) const = default;
};

using claim_value = std::variant<bool, std::int64_t, double, std::string>;

/// Who is meant, by verified token facts. `issuers` and `claims` are gates that must all hold,
/// `subs` and `groups` are alternatives; all of them empty means nobody.
struct subjects {
  text_list subs = {};
  text_list groups = {};
  text_list issuers = {};
  std::map<std::string, claim_value> claims = {};
  bool operator==(const subjects&) const = default;
};

// --- upstreams -----------------------------------------------------------------------------------

enum class protocol_choice { session, automatic, stateless };
enum class client_auth_type { client_secret_post, client_secret_basic, private_key_jwt };

struct owner {
  std::optional<std::string> org;
  std::optional<std::string> team;
  std::optional<std::string> contact;
  bool operator==(const owner&) const = default;
};

struct client_auth {
  client_auth_type type = client_auth_type::client_secret_basic;
  std::string secret_ref;
  // Of `private_key_jwt`.
  std::optional<std::string> key_id;
  std::optional<std::string> audience;
  bool operator==(const client_auth&) const = default;
};

/// The credential the gateway shows an upstream. Which members belong to which strategy is a rule
/// of config/validate.hpp.
struct upstream_auth {
  auth_strategy strategy = auth_strategy::none;
  std::optional<std::string> secret_ref;
  std::optional<std::string> header;
  std::optional<std::string> scheme;
  std::optional<std::string> token_endpoint;
  std::optional<std::string> client_id;
  std::optional<config::client_auth> client_auth;
  std::optional<std::string> audience;
  std::optional<text_list> scopes;
  std::optional<std::string> resource;
  bool operator==(const upstream_auth&) const = default;
};

struct timeouts {
  milliseconds connect{5'000};
  milliseconds request{60'000};
  milliseconds stream_idle{0};  ///< 0: streams may be silent for any time
  milliseconds max_request{0};  ///< 0: ten times `request`
  bool operator==(const timeouts&) const = default;
};

struct circuit_breaker {
  std::int64_t failure_threshold = 5;
  milliseconds half_open_after{30'000};
  bool operator==(const circuit_breaker&) const = default;
};

struct health_check {
  milliseconds interval{0};  ///< 0: passive
  bool operator==(const health_check&) const = default;
};

struct upstream {
  std::string id;
  std::optional<std::string> url;
  std::optional<text_list> urls;
  std::optional<std::string> space;  ///< JSON `namespace`
  protocol_choice protocol = protocol_choice::session;
  std::optional<config::owner> owner;
  text_map labels;
  upstream_auth auth;
  config::timeouts timeouts;
  config::circuit_breaker circuit_breaker;
  std::optional<config::rate_limit> rate_limit;
  std::optional<config::budget> budget;
  std::optional<config::health_check> health_check;
  milliseconds cache_ttl{30'000};  ///< negative: lists are not cached
  bool lists_per_client = false;
  std::int64_t max_response_bytes = 64 * 1024 * 1024;
  bool operator==(const upstream&) const = default;
};

// --- inbound authentication ----------------------------------------------------------------------

enum class auth_mode { disabled, required };
enum class issuer_mode { direct, exchange };

struct issuer {
  std::string url;  ///< JSON `issuer`
  std::optional<std::string> jwks_uri;
  std::string groups_claim = "groups";
  issuer_mode mode = issuer_mode::direct;
  bool operator==(const issuer&) const = default;
};

/// Enterprise-managed authorization: the gateway trades identity assertions for its own tokens.
struct ema {
  std::string idp_issuer;
  std::optional<std::string> idp_jwks_uri;
  std::string signing_key_ref;
  seconds token_ttl{600};
  std::int64_t token_rate_limit_per_minute = 600;
  bool operator==(const ema&) const = default;
};

struct auth_section {
  auth_mode mode = auth_mode::disabled;
  std::optional<std::string> resource;
  std::vector<issuer> issuers;
  std::optional<config::ema> ema;
  bool operator==(const auth_section&) const = default;
};

// --- policy and tenants --------------------------------------------------------------------------

enum class decision { deny, allow };

struct grant {
  std::string server;                ///< an upstream id, or `*`
  std::optional<text_list> methods;  ///< absent: all
  std::optional<text_list> names;    ///< absent: all; `*` matches any run
  bool operator==(const grant&) const = default;
};

struct rule {
  std::string id;
  std::optional<config::subjects> subjects;  ///< absent: anyone
  std::vector<grant> allow;
  bool operator==(const rule&) const = default;
};

struct policy_section {
  decision default_decision = decision::deny;
  std::vector<rule> rules;
  bool operator==(const policy_section&) const = default;
};

struct tenant {
  std::string id;
  config::subjects subjects;
  std::optional<config::budget> budget;
  std::optional<config::rate_limit> rate_limit;
  std::optional<text_list> upstreams;  ///< absent: all
  bool operator==(const tenant&) const = default;
};

// --- audit and tracing ---------------------------------------------------------------------------

enum class sink_type { standard_output, webhook, file };

struct audit_sink {
  sink_type type = sink_type::standard_output;
  std::optional<std::string> url;
  std::optional<text_map> headers;
  std::optional<std::string> bearer_secret_ref;
  std::optional<std::string> path;
  std::optional<std::int64_t> max_bytes;  ///< absent: `limits::audit_file_bytes`
  bool operator==(const audit_sink&) const = default;
};

struct audit_section {
  std::vector<audit_sink> sinks;
  bool operator==(const audit_section&) const = default;
};

struct tracing_section {
  std::string otlp_endpoint;
  std::string service_name = "gate";
  double sample_ratio = 1.0;
  bool record_principal = true;
  bool operator==(const tracing_section&) const = default;
};

// --- server, routing, discovery ------------------------------------------------------------------

struct server_rate_limit {
  std::int64_t requests_per_minute = 0;       ///< 0: no global window
  std::int64_t per_principal_per_minute = 0;  ///< 0: no bucket per principal
  bool operator==(const server_rate_limit&) const = default;
};

struct introspection {
  bool enabled = false;
  std::optional<text_list> groups;  ///< absent: every authenticated principal
  bool operator==(const introspection&) const = default;
};

struct console_oauth {
  std::string client_id;
  std::optional<std::string> issuer;
  std::optional<text_list> scopes;
  bool operator==(const console_oauth&) const = default;
};

struct console {
  bool enabled = false;
  std::optional<console_oauth> oauth;
  bool operator==(const console&) const = default;
};

struct server_section {
  std::string mcp_path = "/mcp";
  text_list allowed_hosts;  ///< empty: localhost, 127.0.0.1 and ::1
  std::optional<server_rate_limit> rate_limit;
  std::optional<config::budget> budget;
  std::int64_t max_body_bytes = 1024 * 1024;
  milliseconds session_idle_timeout{1'800'000};
  milliseconds keep_alive{15'000};
  std::optional<std::string> public_url;
  std::optional<std::string> redis_url;
  std::optional<std::string> fleet_key_ref;
  config::introspection introspection;
  config::console console;
  bool operator==(const server_section&) const = default;
};

struct routing_section {
  std::string namespace_separator = "__";
  std::int64_t page_size = 200;  ///< negative: one merged page
  bool operator==(const routing_section&) const = default;
};

struct discovery_section {
  std::string url;
  milliseconds interval{30'000};
  std::optional<std::string> bearer_secret_ref;
  std::optional<std::vector<auth_strategy>> allowed_auth_strategies;  ///< absent: unrestricted
  std::optional<text_list> allowed_secret_refs;
  std::optional<text_list> allowed_credential_hosts;
  std::optional<text_list> allowed_upstream_hosts;
  milliseconds min_health_check_interval{1'000};
  bool operator==(const discovery_section&) const = default;
};

// --- the document --------------------------------------------------------------------------------

struct document {
  std::vector<upstream> upstreams;
  auth_section auth;
  std::optional<policy_section> policy;
  std::optional<audit_section> audit;
  server_section server;
  routing_section routing;
  std::optional<discovery_section> discovery;
  std::vector<tenant> tenants;
  std::optional<tracing_section> tracing;
  bool operator==(const document&) const = default;
};

/// What a discovery source says. (Its rules are in config/discovery.)
struct discovered_document {
  std::vector<upstream> upstreams;
  bool operator==(const discovered_document&) const = default;
};

}  // namespace gate::config
