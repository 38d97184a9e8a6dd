/// Who may come in (auth) and who may do what (policy, tenants).
#include <algorithm>
#include <map>

#include "config/rules/rules.hpp"

namespace gate::config::rules {
namespace {

void enterprise(const auth_section& a, const ema& e, findings& out) {
  base_url(out, "/auth/ema/idpIssuer", e.idp_issuer, scheme::secure);
  if (e.idp_jwks_uri) url(out, "/auth/ema/idpJwksUri", *e.idp_jwks_uri, scheme::secure);
  // Minted tokens are for this gateway; if it asks for none, the token endpoint is an open door to
  // nothing and more likely `mode` was forgotten.
  if (a.mode != auth_mode::required) {
    out.add("/auth/mode", "must be \"required\" when \"auth.ema\" is configured", {"/auth/ema"});
  }
  // It is the audience of every assertion accepted and of every token minted.
  if (!a.resource) {
    out.add("/auth/resource", "required when \"auth.ema\" is configured", {"/auth/ema"});
  }
}

/// Do some principals certainly belong to both? Only what can be told from the document: the same
/// gates, and an alternative in common.
bool overlap(const subjects& a, const subjects& b) {
  if (a.issuers != b.issuers || a.claims != b.claims) return false;
  auto meet = [](const text_list& x, const text_list& y) {
    return std::ranges::find_first_of(x, y) != x.end();
  };
  bool gates_only = a.subs.empty() && a.groups.empty() && b.subs.empty() && b.groups.empty();
  return gates_only || meet(a.subs, b.subs) || meet(a.groups, b.groups);
}

bool selects(const subjects& s) {
  return !(s.subs.empty() && s.groups.empty() && s.issuers.empty() && s.claims.empty());
}

}  // namespace

void auth(const document& d, findings& out) {
  const auto& a = d.auth;
  if (a.mode == auth_mode::required) {
    // Without an audience, a token meant for any other service would open this one.
    if (!a.resource) out.add("/auth/resource", "required with mode \"required\"");
    bool direct = std::ranges::any_of(
        a.issuers, [](const issuer& i) { return i.mode == issuer_mode::direct; });
    if (!direct && !a.ema) {
      out.add("/auth/issuers",
              "mode \"required\" needs at least one issuer whose tokens are presented directly, or "
              "\"auth.ema\"",
              {"/auth/ema"});
    }
  }
  if (a.resource) url(out, "/auth/resource", *a.resource, scheme::any);
  std::map<std::string, std::string> seen;
  for (std::size_t i = 0; i < a.issuers.size(); ++i) {
    const auto& issuer = a.issuers[i];
    auto at = item("/auth/issuers", i);
    base_url(out, at + "/issuer", issuer.url, scheme::secure);
    if (issuer.jwks_uri) url(out, at + "/jwksUri", *issuer.jwks_uri, scheme::secure);
    // Two entries may disagree about keys and mode; which one counts would be a guess.
    if (auto [first, fresh] = seen.emplace(issuer.url, at); !fresh && !issuer.url.empty()) {
      out.add(at + "/issuer", "the same issuer as " + first->second);
    }
    // Exchange means "only at the token endpoint", which exists only with ema.
    if (issuer.mode == issuer_mode::exchange && !a.ema) {
      out.add(at + "/mode", "\"exchange\" needs \"auth.ema\"", {"/auth/ema"});
    }
  }
  if (a.ema) enterprise(a, *a.ema, out);
}

void policy(const document& d, findings& out) {
  if (!d.policy) return;
  std::map<std::string, std::string> ids;
  for (std::size_t i = 0; i < d.policy->rules.size(); ++i) {
    const auto& rule = d.policy->rules[i];
    auto at = item("/policy/rules", i);
    // Audit names the rule that decided.
    if (auto [first, fresh] = ids.emplace(rule.id, at); !fresh && !rule.id.empty()) {
      out.add(at + "/id", "the id " + quote(rule.id) + " is taken by " + first->second);
    }
    for (std::size_t j = 0; j < rule.allow.size(); ++j) {
      const auto& server = rule.allow[j].server;
      if (server != "*") upstream_id(out, item(at + "/allow", j) + "/server", server, d);
    }
  }
}

void tenants(const document& d, findings& out) {
  std::map<std::string, std::string> ids;
  for (std::size_t i = 0; i < d.tenants.size(); ++i) {
    const auto& t = d.tenants[i];
    auto at = item("/tenants", i);
    if (auto [first, fresh] = ids.emplace(t.id, at); !fresh && !t.id.empty()) {
      out.add(at + "/id", "the id " + quote(t.id) + " is taken by " + first->second);
    }
    if (!selects(t.subjects)) {
      // Empty subjects are nobody; whoever wrote the tenant meant somebody.
      out.add(at + "/subjects",
              "needs a selector: give \"subs\", \"groups\", \"issuers\" or \"claims\"");
    } else {
      // A principal belongs to at most one tenant. Overlaps that depend on a token are refused when
      // it comes; those certain beforehand are refused here.
      for (std::size_t j = 0; j < i; ++j) {
        auto other = item("/tenants", j) + "/subjects";
        if (overlap(d.tenants[j].subjects, t.subjects)) {
          out.add(at + "/subjects",
                  "selects principals of " + item("/tenants", j) +
                      " too: a principal belongs to "
                      "at most one tenant",
                  {other});
        }
      }
    }
    if (!t.upstreams) continue;
    for (std::size_t j = 0; j < t.upstreams->size(); ++j) {
      upstream_id(out, item(at + "/upstreams", j), (*t.upstreams)[j], d);
    }
  }
}

}  // namespace gate::config::rules
