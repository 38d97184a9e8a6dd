#pragma once
/// The fields of the gateway itself: what it records, where it serves, whom it asks for further
/// upstreams. Part of config/describe.hpp.
#include "config/describe/field.hpp"
#include "protocol/limits.hpp"

namespace gate::config {

// --- audit and tracing ---------------------------------------------------------------------------

template <class V>
void describe(V& v, of<audit_sink>) {
  v(&audit_sink::type, {.key = "type", .doc = "Where events go.", .presence = need::required});
  v(&audit_sink::url,
    {.key = "url",
     .doc = "`webhook`: https URL (loopback exempt) that receives batches of events."});
  v(&audit_sink::headers,
    {.key = "headers", .doc = "`webhook`: extra request headers.", .kind = text::free});
  v(&audit_sink::bearer_secret_ref,
    {.key = "bearerSecretRef",
     .doc = "`webhook`: environment variable that holds the Bearer token for it.",
     .kind = text::variable});
  v(&audit_sink::path,
    {.key = "path", .doc = "`file`: file that events are appended to, one a line."});
  v(&audit_sink::max_bytes,
    {.key = "maxBytes",
     .doc = "`file`: at this size it becomes `PATH.1`, and the next one is begun.",
     .least = 1'048'576,
     .nought = zero::refused,
     .default_note = "268435456"});
}

template <class V>
void describe(V& v, of<audit_section>) {
  v(&audit_section::sinks, {.key = "sinks",
                            .doc = "Receivers of audit events; each gets every event.",
                            .presence = need::required,
                            .max_items = limits::audit_sinks});
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
     .doc = "Share of the traces begun here that is exported, from 0 to 1; of others whoever began "
            "them decides.",
     .most = 1,
     .nought = zero::has_meaning});
  v(&tracing_section::record_principal,
    {.key = "recordPrincipal", .doc = "Whether spans say whose request it was, as `enduser.id`."});
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
    {.key = "enabled",
     .doc = "Serves `GET /api/federation`, `/api/activity`, `/api/explain` and `/api/auth-hint`."});
  v(&introspection::groups,
    {.key = "groups",
     .doc = "Groups of operators: only members may read `/api/federation`, of which nothing is "
            "held back from them, and they see all of `/api/activity`; without it every "
            "authenticated principal may read what its tenant sees.",
     .min_items = 1,
     .default_note = "no operators"});
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
     .doc = "Redis server that the instances of a fleet share: `redis://host:port/db`, "
            "`rediss://` (TLS) or `unix:///path`; without it state stays in the process.",
     .default_note = "environment variable `REDIS_URL`, which may hold a password"});
  v(&server_section::fleet_key_ref,
    {.key = "fleetKeyRef",
     .doc = "Environment variable that holds the secret, at least 32 characters, by which the "
            "instances of a fleet seal sessions in the store.",
     .kind = text::variable,
     .default_note = "a random key that is kept in the store"});
  v(&server_section::introspection,
    {.key = "introspection", .doc = "Read-only view of the federation."});
  v(&server_section::console, {.key = "console", .doc = "Web page on top of introspection."});
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

}  // namespace gate::config
