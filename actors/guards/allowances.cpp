#include "actors/guards/allowances.hpp"

#include <utility>

#include "protocol/limits.hpp"

namespace gate::guards {
namespace {

const config::tenant* tenant_of(const config::snapshot& s, const identity::access* who) {
  return who && !who->tenant.empty() ? &s.doc.tenants.at(who->tenant_at) : nullptr;
}

}  // namespace

allowances_ptr allowances(const config::snapshot& s, const config::compiled_upstream& u,
                          const identity::access* who) {
  const auto* tenant = tenant_of(s, who);
  const bool of_tenant = tenant && tenant->budget;
  const auto& of_server = s.doc.server.budget;
  if (!u.budget && !of_tenant && !of_server) return nullptr;
  auto out = std::make_shared<std::vector<allowance>>();
  const auto add = [&](scope what, const std::string& name, const config::budget& b) {
    out->push_back({{what, name, 0}, b.period, b.upstream_calls});
  };
  if (u.budget) add(scope::upstream, u.id, *u.budget);
  if (of_tenant) add(scope::tenant, tenant->id, *tenant->budget);
  if (of_server) add(scope::server, {}, *of_server);
  return out;
}

allowances_ptr price_list::of(const snapshot_ptr& s, const config::compiled_upstream& u,
                              const identity::access* who) {
  const auto* tenant = tenant_of(*s, who);
  const bool of_tenant = tenant && tenant->budget;
  if (!u.budget && !of_tenant && !s->doc.server.budget) return nullptr;
  if (std::exchange(generation_, s->generation) != s->generation ||
      known_.size() >= limits::price_list)
    known_.clear();
  const auto tenant_number = of_tenant ? who->tenant_at + 1 : 0;
  auto& out = known_[std::uint64_t{tenant_number} << 32 | u.index];
  if (!out) out = allowances(*s, u, who);
  return out;
}

rate_scopes_ptr rate_scopes(const config::snapshot& s, const identity::access& who) {
  std::vector<rate_scope> out;
  const auto& limit = s.doc.server.rate_limit;
  const auto add = [&](scope_key key, std::int64_t per_minute) {
    if (per_minute > 0) out.push_back({std::move(key), per_minute});
  };
  if (limit) add({scope::server, {}, 0}, limit->requests_per_minute);
  if (const auto* tenant = tenant_of(s, &who); tenant && tenant->rate_limit)
    add({scope::tenant, tenant->id, 0}, tenant->rate_limit->requests_per_minute);
  if (limit && who.who()) add({scope::principal, {}, who.key()}, limit->per_principal_per_minute);
  return out.empty() ? nullptr : std::make_shared<const std::vector<rate_scope>>(std::move(out));
}

viewed viewed_scopes(const config::snapshot& s, const identity::access& who, bool sees_all) {
  auto scopes = std::make_shared<std::vector<rate_scope>>();
  auto costs = std::make_shared<std::vector<allowance>>();
  const auto add = [&](scope what, const std::string& name, const config::budget& b) {
    costs->push_back({{what, name, 0}, b.period, b.upstream_calls});
  };
  if (s.doc.server.budget) add(scope::server, {}, *s.doc.server.budget);
  if (const auto* tenant = tenant_of(s, &who); tenant && tenant->budget)
    add(scope::tenant, tenant->id, *tenant->budget);
  for (const auto& u : s.upstreams) {
    if (!sees_all && !who.view->visible(u.index)) continue;
    if (u.requests_per_minute > 0)
      scopes->push_back({{scope::upstream, u.id, 0}, u.requests_per_minute});
    if (u.budget) add(scope::upstream, u.id, *u.budget);
  }
  return {std::move(scopes), std::move(costs)};
}

rate_scopes_ptr upstream_scopes(const config::compiled_upstream& u) {
  if (u.requests_per_minute <= 0) return nullptr;
  return std::make_shared<const std::vector<rate_scope>>(
      1, rate_scope{{scope::upstream, u.id, 0}, u.requests_per_minute});
}

}  // namespace gate::guards
