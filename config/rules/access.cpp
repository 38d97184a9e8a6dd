/// Who may come in (auth) and who may do what (policy, tenants).
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/options/nearest.hpp"
#include "config/rules/rules.hpp"
#include "config/text.hpp"
#include "protocol/mcp/methods.hpp"

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

/// Which tenants before one certainly share principals with it. Only what can be told from the
/// document: the same gates, and an alternative in common. By looking words up, since documents may
/// have thousands of tenants.
class overlaps {
 public:
  /// The earlier ones, the first for each word in common; remembers this one.
  std::set<std::size_t> add(std::size_t index, const subjects& s) {
    std::set<std::size_t> out;
    auto& known = by_gates_[{s.issuers, s.claims}];
    auto meet = [&](char kind, const std::string& word) {
      const auto [first, fresh] = known.try_emplace({kind, word}, index);
      if (!fresh && first->second != index) out.insert(first->second);
    };
    for (const auto& sub : s.subs) meet('s', sub);
    for (const auto& group : s.groups) meet('g', group);
    if (s.subs.empty() && s.groups.empty()) meet('*', {});
    return out;
  }

 private:
  using gates = std::pair<text_list, std::map<std::string, claim_value>>;
  std::map<gates, std::map<std::pair<char, std::string>, std::size_t>> by_gates_;
};

/// Those that policy judges by their name, so that a grant may list them.
bool grantable(const mcp::method& m) {
  return m.judging == mcp::judging::itself;
}

std::string completed_calls() {
  std::string out;
  for (const auto& r : mcp::references)
    out += (out.empty() ? "" : " or ") + quote(mcp::row(r.of).invites);
  return out;
}

/// Why a grant can not list `name`: it would have no effect, and who wrote it would believe it had.
std::string not_grantable(std::string_view name) {
  if (name == "*") return R"(leave "methods" out to allow all)";
  const auto* m = mcp::find_method(name);
  if (m == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& each : mcp::methods) {
      if (grantable(each)) known.push_back(each.name);
    }
    if (auto near = nearest(name, known); !near.empty()) {
      return "no such MCP method; did you mean " + quote(near) + "?";
    }
    std::string out = "no such MCP method; known here:";
    for (auto k : known) out += (k == known.front() ? " " : ", ") + std::string(k);
    return out;
  }
  switch (m->judging) {
    case mcp::judging::completed:
      return quote(name) + " is judged as what it completes: name " + completed_calls();
    case mcp::judging::owner:
      return quote(name) + " is not judged by its name: whoever may invoke anything on the " +
             "upstream may handle the tasks that are his there";
    case mcp::judging::begun:
      return quote(name) + " is never judged: one's own subscriptions may always be ended";
    case mcp::judging::never:
    case mcp::judging::itself:
      break;
  }
  if (m->list != mcp::list_kind::none)
    return quote(name) + " is never judged: a list shows what its reader may invoke";
  return quote(name) + " is never judged: no upstream is invoked";
}

void grants(const grant& g, const std::string& at, const document& d, findings& out) {
  if (g.server != "*") upstream_id(out, at + "/server", g.server, d);
  if (!g.methods) return;
  for (std::size_t i = 0; i < g.methods->size(); ++i) {
    const auto& name = (*g.methods)[i];
    const auto* known = mcp::find_method(name);
    if (known != nullptr && grantable(*known)) continue;
    // An empty one was refused when it was read.
    if (!name.empty()) out.add(item(at + "/methods", i), not_grantable(name));
  }
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
      grants(rule.allow[j], item(at + "/allow", j), d, out);
    }
  }
}

void tenants(const document& d, findings& out) {
  std::map<std::string, std::string> ids;
  overlaps met;
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
      for (const auto j : met.add(i, t.subjects)) {
        out.add(at + "/subjects",
                "selects principals of " + item("/tenants", j) +
                    " too: a principal belongs to at most one tenant",
                {item("/tenants", j) + "/subjects"});
      }
    }
    if (!t.upstreams) continue;
    for (std::size_t j = 0; j < t.upstreams->size(); ++j) {
      upstream_id(out, item(at + "/upstreams", j), (*t.upstreams)[j], d);
    }
  }
}

}  // namespace gate::config::rules
