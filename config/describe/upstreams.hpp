#pragma once
/// The fields of an upstream, and the shapes that several sections share. Part of
/// config/describe.hpp.
#include "config/describe/field.hpp"
#include "protocol/limits.hpp"

namespace gate::config {

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
     .doc = "MCP generation spoken to the upstream: `session`, revisions up to 2025-11-25; "
            "`2026-07-28`, without sessions; `auto`, whichever it speaks (recommended)."});
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

}  // namespace gate::config
