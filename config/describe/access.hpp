#pragma once
/// The fields that say who a caller is and what it may do. Part of config/describe.hpp.
#include "config/describe/field.hpp"

namespace gate::config {

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

}  // namespace gate::config
