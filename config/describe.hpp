#pragma once
/// The one description of the configuration document. Each section lists its fields once: key,
/// member, required or not, bounds, text kind, live or restart, whether this build supports it, and
/// one sentence. The reader (config/parse.cpp), the JSON Schema (config/schema.cpp), the reference
/// page (config/reference.cpp), the refusal of unbuilt features (config/unsupported.cpp) and the
/// reload check (config/diff.cpp) are visitors of it; defaults are the initializers of
/// config/document.hpp.
///
/// A visitor is called as `v(&section::member, field{...})` for each field, in documented order.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "config/document.hpp"
#include "protocol/limits.hpp"

namespace gate::config {

enum class need { optional, required };
/// `later`: valid, accepted by --validate, but a boot refuses documents that use it.
enum class support { here, later };
/// Whether a reload may change it. Fields inside a section inherit the section's.
enum class change { inherited, live, restart };
/// What 0 means in a numeric field.
enum class zero { is_default, has_meaning, refused };

/// What a string may look like; for lists and maps, what each entry may look like.
enum class text {
  plain,      ///< anything but empty
  free,       ///< anything, also empty
  name,       ///< lower-case letters, digits, hyphens
  variable,   ///< the name of an environment variable
  separator,  ///< no lower-case letters, digits, hyphens
};

/// Fits every timer and every counter.
inline constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();
/// The largest integer that every JSON tool keeps exact.
inline constexpr std::int64_t most_exact = 9'007'199'254'740'991;

struct field {
  std::string_view key;
  std::string_view doc;
  need presence = need::optional;
  support build = support::here;
  change effect = change::inherited;
  text kind = text::plain;
  std::int64_t least = 0;
  std::int64_t most = most_int;
  zero nought = zero::is_default;
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  /// What the reference shows where the default is not the initializer alone.
  std::string_view default_note = {};
};

/// Selects the description of T.
template <class T>
struct of {};

// --- enums ---------------------------------------------------------------------------------------

template <class E>
struct choice {
  E value;
  std::string_view name;
  support build = support::here;
};

constexpr auto choices(of<budget_period>) {
  return std::array{choice<budget_period>{budget_period::hour, "hour"},
                    choice<budget_period>{budget_period::day, "day"},
                    choice<budget_period>{budget_period::month, "month"}};
}

constexpr auto choices(of<protocol_choice>) {
  using p = protocol_choice;
  return std::array{choice<p>{p::session, "session"},
                    choice<p>{p::automatic, "auto", support::later},
                    choice<p>{p::stateless, "2026-07-28", support::later}};
}

constexpr auto choices(of<auth_strategy>) {
  using s = auth_strategy;
  return std::array{choice<s>{s::none, "none"}, choice<s>{s::fixed, "static"},
                    choice<s>{s::passthrough, "passthrough"},
                    choice<s>{s::client_credentials, "client-credentials"},
                    choice<s>{s::token_exchange, "token-exchange"}};
}

constexpr auto choices(of<client_auth_type>) {
  using t = client_auth_type;
  return std::array{choice<t>{t::client_secret_post, "client_secret_post"},
                    choice<t>{t::client_secret_basic, "client_secret_basic"},
                    choice<t>{t::private_key_jwt, "private_key_jwt"}};
}

constexpr auto choices(of<auth_mode>) {
  return std::array{choice<auth_mode>{auth_mode::disabled, "disabled"},
                    choice<auth_mode>{auth_mode::required, "required"}};
}

constexpr auto choices(of<issuer_mode>) {
  return std::array{choice<issuer_mode>{issuer_mode::direct, "direct"},
                    choice<issuer_mode>{issuer_mode::exchange, "exchange"}};
}

constexpr auto choices(of<decision>) {
  return std::array{choice<decision>{decision::deny, "deny"},
                    choice<decision>{decision::allow, "allow"}};
}

constexpr auto choices(of<sink_type>) {
  using s = sink_type;
  return std::array{choice<s>{s::standard_output, "stdout"},
                    choice<s>{s::webhook, "webhook", support::later},
                    choice<s>{s::file, "file", support::later}};
}

/// The JSON name of `value`.
template <class E>
requires std::is_enum_v<E>
constexpr std::string_view name_of(E value) {
  for (const auto& c : choices(of<E>{})) {
    if (c.value == value) return c.name;
  }
  return {};
}

// --- shared shapes -------------------------------------------------------------------------------

template <class V>
void describe(V& v, of<budget>) {
  v(&budget::period,
    {.key = "period", .doc = "Calendar period in UTC after which the allowance starts anew."});
  v(&budget::upstream_calls, {.key = "upstreamCalls",
                              .doc = "Upstream invocations allowed within one period.",
                              .presence = need::required,
                              .least = 1,
                              .most = most_exact,
                              .nought = zero::refused});
}

template <class V>
void describe(V& v, of<rate_limit>) {
  v(&rate_limit::requests_per_minute,
    {.key = "requestsPerMinute",
     .doc = "Requests admitted per sliding minute; 0 sets no limit.",
     .presence = need::required});
}

template <class V>
void describe(V& v, of<subjects>) {
  v(&subjects::subs, {.key = "subs", .doc = "Token subjects; one match suffices."});
  v(&subjects::groups, {.key = "groups", .doc = "Group names; one match suffices."});
  v(&subjects::issuers,
    {.key = "issuers", .doc = "Token issuers; when given, the token must come from one of them."});
  v(&subjects::claims,
    {.key = "claims",
     .doc = "Claim name to string, number or boolean; every one must equal the token's claim or be "
            "a member of it.",
     .kind = text::free});
}

// --- upstreams -----------------------------------------------------------------------------------

template <class V>
void describe(V& v, of<owner>) {
  v(&owner::org, {.key = "org", .doc = "Organisation that runs the upstream."});
  v(&owner::team, {.key = "team", .doc = "Team that runs the upstream."});
  v(&owner::contact, {.key = "contact", .doc = "Where to reach that team."});
}

template <class V>
void describe(V& v, of<client_auth>) {
  v(&client_auth::type, {.key = "type",
                         .doc = "How the gateway authenticates at the token endpoint: by a secret "
                                "in the body or in a header, or by a signature (RFC 7523).",
                         .presence = need::required});
  v(&client_auth::secret_ref, {.key = "secretRef",
                               .doc = "Environment variable that holds the client secret; with "
                                      "`private_key_jwt` a P-256 private key (PKCS#8 PEM).",
                               .presence = need::required,
                               .kind = text::variable});
  v(&client_auth::key_id, {.key = "keyId",
                           .doc = "`private_key_jwt`: what the server calls the key (`kid`); its "
                                  "RFC 7638 thumbprint if absent."});
  v(&client_auth::audience, {.key = "audience",
                             .doc = "`private_key_jwt`: audience of the assertion; the token "
                                    "endpoint if absent."});
}

template <class V>
void describe(V& v, of<upstream_auth>) {
  v(&upstream_auth::strategy, {.key = "strategy",
                               .doc = "Which credential the gateway shows the upstream.",
                               .presence = need::required});
  v(&upstream_auth::secret_ref, {.key = "secretRef",
                                 .doc = "`static`: environment variable that holds the API key.",
                                 .kind = text::variable});
  v(&upstream_auth::header, {.key = "header",
                             .doc = "`static`: request header that carries the key.",
                             .default_note = "`Authorization`"});
  v(&upstream_auth::scheme,
    {.key = "scheme",
     .doc = "`static`: word before the key in that header; empty for the bare key.",
     .kind = text::free,
     .default_note = "`Bearer` for `Authorization`, else none"});
  v(&upstream_auth::token_endpoint,
    {.key = "tokenEndpoint",
     .doc = "`client-credentials`, `token-exchange`: token endpoint; https (loopback exempt)."});
  v(&upstream_auth::client_id,
    {.key = "clientId",
     .doc = "`client-credentials`, `token-exchange`: the gateway's client id there."});
  v(&upstream_auth::client_auth,
    {.key = "clientAuth",
     .doc = "`client-credentials`, `token-exchange`: how the gateway authenticates there."});
  v(&upstream_auth::audience,
    {.key = "audience", .doc = "`token-exchange`: audience of the exchanged token."});
  v(&upstream_auth::scopes,
    {.key = "scopes", .doc = "`client-credentials`, `token-exchange`: scopes to ask for."});
  v(&upstream_auth::resource,
    {.key = "resource", .doc = "`client-credentials`: resource indicator (RFC 8707)."});
}

template <class V>
void describe(V& v, of<timeouts>) {
  v(&timeouts::connect,
    {.key = "connectMs", .doc = "Longest wait for a connection, in milliseconds."});
  v(&timeouts::request,
    {.key = "requestMs",
     .doc = "Longest wait for an answer, in milliseconds; of a call: for its next word, such as a "
            "progress notification."});
  v(&timeouts::max_request,
    {.key = "maxRequestMs",
     .doc = "Longest wait for the answer to a call that goes on saying something, in milliseconds; "
            "at least `requestMs`; 0: ten times that."});
  v(&timeouts::stream_idle,
    {.key = "streamIdleMs",
     .doc = "Longest silence on a stream that the upstream has opened, in milliseconds; 0 sets no "
            "limit."});
}

template <class V>
void describe(V& v, of<circuit_breaker>) {
  v(&circuit_breaker::failure_threshold,
    {.key = "failureThreshold",
     .doc = "Consecutive failures that open the circuit: no connection, no answer in time, or none "
            "that is one; a JSON-RPC error is an answer."});
  v(&circuit_breaker::half_open_after,
    {.key = "halfOpenAfterMs",
     .doc = "Time until an open circuit admits one probe and a failed endpoint is tried again, in "
            "milliseconds."});
}

template <class V>
void describe(V& v, of<health_check>) {
  v(&health_check::interval,
    {.key = "intervalMs",
     .doc = "Time between active probes of each endpoint, in milliseconds; 0 keeps health passive.",
     .presence = need::required});
}

template <class V>
void describe(V& v, of<upstream>) {
  v(&upstream::id, {.key = "id",
                    .doc = "Name of the upstream in policy, audit, health and metrics.",
                    .presence = need::required,
                    .kind = text::name});
  v(&upstream::url,
    {.key = "url", .doc = "The upstream's MCP endpoint; exactly one of `url` and `urls`."});
  v(&upstream::urls,
    {.key = "urls",
     .doc = "Equivalent replica endpoints; new sessions take them in turn, and stay "
            "where they are.",
     .min_items = 1,
     .max_items = limits::endpoints});
  v(&upstream::space,
    {.key = "namespace",
     .doc = "Prefix of tool and prompt names; without it the only upstream is passed through.",
     .kind = text::name});
  v(&upstream::protocol,
    {.key = "protocol",
     .doc = "MCP generation spoken to the upstream; only `session` bridges server-initiated "
            "traffic."});
  v(&upstream::owner, {.key = "owner", .doc = "Who runs it; surfaces in audit and health."});
  v(&upstream::labels, {.key = "labels", .doc = "Free labels for reporting.", .kind = text::free});
  v(&upstream::auth, {.key = "auth", .doc = "The credential the gateway shows the upstream."});
  v(&upstream::timeouts, {.key = "timeouts", .doc = "Deadlines towards the upstream."});
  v(&upstream::circuit_breaker,
    {.key = "circuitBreaker", .doc = "When a failing upstream is left alone."});
  v(&upstream::rate_limit, {.key = "rateLimit", .doc = "Limit for this upstream only."});
  v(&upstream::budget, {.key = "budget",
                        .doc = "Consumption allowance for this upstream; those of the tenant and "
                               "the server hold as well."});
  v(&upstream::health_check,
    {.key = "healthCheck",
     .doc = "Active health probes; without it health is passive: failed connections tell."});
  v(&upstream::cache_ttl,
    {.key = "cacheTtlMs",
     .doc = "How long list results are cached, in milliseconds; negative: not at all.",
     .least = -most_int});
  v(&upstream::lists_per_client,
    {.key = "listsPerClient",
     .doc = "Each client sees the lists of its own session there, and the gateway needs no session "
            "beside: for servers that are a process for each session."});
  v(&upstream::max_response_bytes,
    {.key = "maxResponseBytes", .doc = "Largest answer accepted from the upstream, in bytes."});
}

// --- inbound authentication ----------------------------------------------------------------------

template <class V>
void describe(V& v, of<issuer>) {
  v(&issuer::url, {.key = "issuer",
                   .doc = "Issuer URL as tokens carry it; https (loopback exempt).",
                   .presence = need::required});
  v(&issuer::jwks_uri, {.key = "jwksUri",
                        .doc = "Signing-key set URL; https (loopback exempt).",
                        .default_note = "`{issuer}/.well-known/jwks.json`"});
  v(&issuer::groups_claim, {.key = "groupsClaim", .doc = "Token claim that carries group names."});
  v(&issuer::mode,
    {.key = "mode",
     .doc = "`exchange`: its assertions are accepted at the token endpoint only, never presented "
            "directly."});
}

template <class V>
void describe(V& v, of<ema>) {
  v(&ema::idp_issuer, {.key = "idpIssuer",
                       .doc = "Issuer whose identity assertions are accepted; https (loopback "
                              "exempt).",
                       .presence = need::required});
  v(&ema::idp_jwks_uri, {.key = "idpJwksUri",
                         .doc = "Key set URL of that issuer; https (loopback exempt).",
                         .default_note = "`{idpIssuer}/.well-known/jwks.json`"});
  v(&ema::signing_key_ref,
    {.key = "signingKeyRef",
     .doc = "Environment variable that holds the ES256 private key (PKCS#8 PEM).",
     .presence = need::required,
     .kind = text::variable});
  v(&ema::token_ttl, {.key = "tokenTtlSec",
                      .doc = "Lifetime of minted access tokens, in seconds.",
                      .least = 1,
                      .most = 86'400});
  v(&ema::token_rate_limit_per_minute,
    {.key = "tokenRateLimitPerMinute",
     .doc = "Cap on requests to the unauthenticated token endpoint."});
}

template <class V>
void describe(V& v, of<auth_section>) {
  v(&auth_section::mode,
    {.key = "mode", .doc = "Whether MCP requests must carry a valid Bearer token."});
  v(&auth_section::resource,
    {.key = "resource",
     .doc = "Canonical URI of this gateway: the audience tokens must name (RFC 8707)."});
  v(&auth_section::issuers, {.key = "issuers", .doc = "Trusted token issuers."});
  v(&auth_section::ema,
    {.key = "ema", .doc = "Enterprise-managed authorization: the gateway's token endpoint."});
}

// --- policy and tenants --------------------------------------------------------------------------

template <class V>
void describe(V& v, of<grant>) {
  v(&grant::server, {.key = "server",
                     .doc = "Upstream id, or `*` for every upstream.",
                     .presence = need::required});
  v(&grant::methods, {.key = "methods",
                      .doc = "MCP methods allowed, for example `tools/call`; without it all.",
                      .min_items = 1});
  v(&grant::names, {.key = "names",
                    .doc = "Bare names or URIs allowed, `*` matches any run; without it all.",
                    .min_items = 1});
}

template <class V>
void describe(V& v, of<rule>) {
  v(&rule::id, {.key = "id",
                .doc = "Name of the rule, reported in audit as `ruleId`.",
                .presence = need::required});
  v(&rule::subjects,
    {.key = "subjects", .doc = "Whom the rule is for; without it anyone, empty nobody."});
  v(&rule::allow,
    {.key = "allow", .doc = "What they may invoke.", .presence = need::required, .min_items = 1});
}

template <class V>
void describe(V& v, of<policy_section>) {
  v(&policy_section::default_decision,
    {.key = "defaultDecision", .doc = "Decision when no rule matches."});
  v(&policy_section::rules, {.key = "rules", .doc = "Grants; an invocation needs one that fits."});
}

template <class V>
void describe(V& v, of<tenant>) {
  v(&tenant::id, {.key = "id",
                  .doc = "Name of the tenant in audit events and `gate_tenant_*` metrics.",
                  .presence = need::required,
                  .kind = text::name});
  v(&tenant::subjects, {.key = "subjects",
                        .doc = "Principals that belong to the tenant; at least one selector.",
                        .presence = need::required});
  v(&tenant::budget, {.key = "budget", .doc = "Consumption allowance of the tenant as a whole."});
  v(&tenant::rate_limit,
    {.key = "rateLimit", .doc = "One bucket shared by the tenant's principals."});
  v(&tenant::upstreams, {.key = "upstreams",
                         .doc = "Upstream ids visible to the tenant; without it all.",
                         .min_items = 1});
}

// --- audit and tracing ---------------------------------------------------------------------------

template <class V>
void describe(V& v, of<audit_sink>) {
  v(&audit_sink::type, {.key = "type", .doc = "Where events go.", .presence = need::required});
  v(&audit_sink::url, {.key = "url",
                       .doc = "`webhook`: http or https URL that receives batches of events.",
                       .build = support::later});
  v(&audit_sink::headers, {.key = "headers",
                           .doc = "`webhook`: extra request headers.",
                           .build = support::later,
                           .kind = text::free});
  v(&audit_sink::path, {.key = "path",
                        .doc = "`file`: file that events are appended to, one a line.",
                        .build = support::later});
}

template <class V>
void describe(V& v, of<audit_section>) {
  v(&audit_section::sinks, {.key = "sinks",
                            .doc = "Receivers of audit events; each gets every event.",
                            .presence = need::required});
}

template <class V>
void describe(V& v, of<tracing_section>) {
  v(&tracing_section::otlp_endpoint,
    {.key = "otlpEndpoint",
     .doc = "OTLP/HTTP collector; a bare base URL gets the path `/v1/traces`.",
     .presence = need::required});
  v(&tracing_section::service_name,
    {.key = "serviceName", .doc = "Resource attribute `service.name`."});
  v(&tracing_section::sample_ratio,
    {.key = "sampleRatio",
     .doc = "Share of the traces begun here that is exported; 0 exports none of them.",
     .most = 1,
     .nought = zero::has_meaning});
}

// --- server, routing, discovery ------------------------------------------------------------------

template <class V>
void describe(V& v, of<server_rate_limit>) {
  v(&server_rate_limit::requests_per_minute,
    {.key = "requestsPerMinute",
     .doc = "Requests admitted per sliding minute across all upstreams; 0 sets no limit.",
     .presence = need::required});
  v(&server_rate_limit::per_principal_per_minute,
    {.key = "perPrincipalPerMinute",
     .doc = "The same for each authenticated principal on its own; 0 sets no limit."});
}

template <class V>
void describe(V& v, of<introspection>) {
  v(&introspection::enabled,
    {.key = "enabled", .doc = "Serves `GET /api/federation` and `GET /api/auth-hint`."});
  v(&introspection::groups,
    {.key = "groups",
     .doc = "Groups whose members may read `/api/federation`; without it every authenticated "
            "principal.",
     .min_items = 1});
}

template <class V>
void describe(V& v, of<console_oauth>) {
  v(&console_oauth::client_id, {.key = "clientId",
                                .doc = "Public OAuth client id the console page signs in with.",
                                .presence = need::required});
  v(&console_oauth::issuer, {.key = "issuer",
                             .doc = "Issuer to sign in at; https (loopback exempt).",
                             .default_note = "the only direct issuer of `auth.issuers`"});
  v(&console_oauth::scopes, {.key = "scopes", .doc = "Scopes to ask for."});
}

template <class V>
void describe(V& v, of<console>) {
  v(&console::enabled,
    {.key = "enabled", .doc = "Serves the read-only page `GET /console/`; needs introspection."});
  v(&console::oauth, {.key = "oauth", .doc = "Sign-in of the console page."});
}

template <class V>
void describe(V& v, of<server_section>) {
  v(&server_section::mcp_path, {.key = "mcpPath", .doc = "Path on which MCP is served."});
  v(&server_section::allowed_hosts,
    {.key = "allowedHosts",
     .doc = "Host and Origin names accepted, without port; `*` as the only entry disables the "
            "check.",
     .min_items = 1,
     .default_note = "`localhost`, `127.0.0.1`, `::1`"});
  v(&server_section::rate_limit, {.key = "rateLimit", .doc = "Limit across all upstreams."});
  v(&server_section::budget,
    {.key = "budget", .doc = "Consumption allowance across all upstreams."});
  v(&server_section::max_body_bytes,
    {.key = "maxBodyBytes", .doc = "Largest request body accepted, in bytes; 413 above it."});
  v(&server_section::session_idle_timeout,
    {.key = "sessionIdleTimeoutMs",
     .doc = "Client sessions without a request or an open stream for this long are closed, in "
            "milliseconds."});
  v(&server_section::keep_alive,
    {.key = "keepAliveMs",
     .doc = "Time between keep-alive comments on silent streams, in milliseconds."});
  v(&server_section::public_url,
    {.key = "publicUrl",
     .doc = "URL under which clients reach the gateway, for links in challenges and metadata.",
     .default_note = "the origin of `auth.resource`"});
  v(&server_section::redis_url,
    {.key = "redisUrl",
     .doc = "Shared store of a fleet, `redis://host:port/db`; without it state stays in the "
            "process.",
     .build = support::later,
     .default_note = "environment variable `REDIS_URL`"});
  v(&server_section::introspection,
    {.key = "introspection", .doc = "Read-only view of the federation.", .build = support::later});
  v(&server_section::console,
    {.key = "console", .doc = "Web page on top of introspection.", .build = support::later});
}

template <class V>
void describe(V& v, of<routing_section>) {
  v(&routing_section::namespace_separator,
    {.key = "namespaceSeparator",
     .doc = "Stands between namespace and name; no lower-case letters, digits or hyphens.",
     .kind = text::separator});
  v(&routing_section::page_size,
    {.key = "pageSize",
     .doc = "Entries per page of a federated list; negative: everything on one page.",
     .least = -most_int});
}

template <class V>
void describe(V& v, of<discovery_section>) {
  v(&discovery_section::url, {.key = "url",
                              .doc = "Document of additional upstreams; https (loopback exempt).",
                              .presence = need::required});
  v(&discovery_section::interval,
    {.key = "intervalMs",
     .doc = "Time from the end of one poll to the next, in milliseconds.",
     .least = 1'000});
  v(&discovery_section::bearer_secret_ref,
    {.key = "bearerSecretRef",
     .doc = "Environment variable that holds the Bearer token for polling.",
     .kind = text::variable});
  v(&discovery_section::allowed_auth_strategies,
    {.key = "allowedAuthStrategies",
     .doc = "Credential strategies discovered upstreams may use; `none` is always allowed.",
     .default_note = "unrestricted"});
  v(&discovery_section::allowed_secret_refs,
    {.key = "allowedSecretRefs",
     .doc = "Environment variables discovered upstreams may name.",
     .kind = text::variable,
     .default_note = "unrestricted"});
  v(&discovery_section::allowed_credential_hosts,
    {.key = "allowedCredentialHosts",
     .doc = "Hosts that may be sent credentials, exact or `*.suffix`: of the upstream and of its "
            "token endpoint; without it discovered upstreams may have none.",
     .default_note = "no credentials"});
  v(&discovery_section::allowed_upstream_hosts,
    {.key = "allowedUpstreamHosts",
     .doc = "Hosts discovered upstreams may live on, exact or `*.suffix`.",
     .default_note = "unrestricted"});
  v(&discovery_section::min_health_check_interval,
    {.key = "minHealthCheckIntervalMs",
     .doc = "Shortest probe interval a discovered upstream may ask for, in milliseconds."});
}

// --- what a discovery source says ----------------------------------------------------------------

template <class V>
void describe(V& v, of<discovered_document>) {
  v(&discovered_document::upstreams, {.key = "upstreams",
                                      .doc = "Upstreams beside those of the configuration.",
                                      .presence = need::required,
                                      .max_items = limits::upstreams});
}

// --- the document --------------------------------------------------------------------------------

template <class V>
void describe(V& v, of<document>) {
  v(&document::upstreams, {.key = "upstreams",
                           .doc = "The MCP servers that are federated.",
                           .effect = change::live,
                           .max_items = limits::upstreams});
  v(&document::auth, {.key = "auth", .doc = "Inbound authentication.", .effect = change::restart});
  v(&document::policy, {.key = "policy",
                        .doc = "Who may invoke what; without it everything is allowed.",
                        .effect = change::live});
  v(&document::audit, {.key = "audit",
                       .doc = "Audit sinks; without it no events are emitted.",
                       .effect = change::restart});
  v(&document::server,
    {.key = "server", .doc = "Listener, limits, shared store.", .effect = change::restart});
  v(&document::routing,
    {.key = "routing", .doc = "Names and pages of lists.", .effect = change::restart});
  v(&document::discovery,
    {.key = "discovery", .doc = "Dynamic upstream source.", .effect = change::restart});
  v(&document::tenants,
    {.key = "tenants", .doc = "Principal groups with shared allowances.", .effect = change::live});
  v(&document::tracing,
    {.key = "tracing", .doc = "Trace export.", .build = support::later, .effect = change::restart});
}

/// A section: a struct with a description.
namespace detail {
struct any_visitor {
  template <class M, class T>
  void operator()(M T::*, const field&) {}
};
}  // namespace detail

template <class T>
concept described = requires(detail::any_visitor& v) {
  describe(v, of<T>{});
};

}  // namespace gate::config
