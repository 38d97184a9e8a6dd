#include "actors/ops/reports.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "actors/guards/balancer_actor.hpp"
#include "actors/ops/usage_text.hpp"
#include "config/describe/service.hpp"
#include "config/describe/upstreams.hpp"
#include "protocol/json/scan.hpp"

namespace gate::ops {
namespace {

void append_member(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  out += key;
  out += "\":";
  json::append_quoted(out, text);
}

/// Replicas and whether they are in rotation.
void append_endpoints(std::string& out, const config::compiled_upstream& u, const vital_signs& v,
                      bool details) {
  if (u.endpoints.size() < 2) return;
  const auto names = guards::endpoint_names(u);
  out += R"(,"endpoints":[)";
  for (std::size_t i = 0; i < u.endpoints.size(); ++i) {
    const bool healthy = i >= v.endpoints.size() || v.endpoints[i];
    out += i ? ",{\"healthy\":" : "{\"healthy\":";
    out += healthy ? "true" : "false";
    if (details) append_member(out, "url", names[i]);
    out += '}';
  }
  out += ']';
}

void append_details(std::string& out, const config::compiled_upstream& u, const finding& f) {
  append_member(out, "url", u.endpoint.place());
  if (u.owner) {
    std::string owner;
    auto add = [&](std::string_view key, const std::optional<std::string>& text) {
      if (text) append_member(owner, key, *text);
    };
    add("org", u.owner->org);
    add("team", u.owner->team);
    add("contact", u.owner->contact);
    out += ",\"owner\":{" + (owner.empty() ? owner : owner.substr(1)) + "}";
  }
  if (!u.labels.empty()) {
    std::string labels;
    for (const auto& [key, text] : u.labels) {
      labels += labels.empty() ? "" : ",";
      json::append_quoted(labels, key);
      labels += ':';
      json::append_quoted(labels, text);
    }
    out += ",\"labels\":{" + labels + "}";
  }
  if (f.unprobed) return;
  if (!f.answered)
    append_member(out, "error", "no answer within the health budget");
  else if (!f.result.connected)
    append_member(out, "error", f.result.error);
}

}  // namespace

std::string_view name_of(breaker_state s) {
  switch (s) {
    case breaker_state::half_open:
      return "half-open";
    case breaker_state::open:
      return "open";
    default:
      return "closed";
  }
}

namespace {

std::string_view status_of(const config::snapshot& s, const std::vector<finding>& found,
                           const std::function<bool(const config::compiled_upstream&)>& seen) {
  bool all = true, any_connected = false, all_unprobed = true, any = false;
  for (const auto& u : s.upstreams) {
    if (!seen(u)) continue;
    const auto& f = found[u.index];
    any = true;
    all = all && (f.unprobed || f.result.connected);
    any_connected = any_connected || f.result.connected;
    all_unprobed = all_unprobed && f.unprobed;
  }
  // Those that can not be asked without a caller count neither way; with none else, all is well.
  if (!any_connected && !(any && all_unprobed)) return "down";
  return all ? "ok" : "degraded";
}

/// An object's members, but for its end.
void append_upstream(std::string& out, const config::snapshot& s,
                     const config::compiled_upstream& u, const finding& f, const vital_signs& signs,
                     bool details) {
  out += R"({"id":)";
  json::append_quoted(out, u.id);
  if (!u.prefix.empty())
    append_member(out, "namespace", u.prefix.substr(0, u.prefix.size() - s.separator.size()));
  append_member(out, "breaker", name_of(signs.breaker));
  out += R"(,"connected":)";
  out += f.result.connected ? "true" : "false";
  if (f.unprobed) out += R"(,"unprobed":true)";
  if (f.result.connected) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(f.result.latency.count()) / 1000);
    out += R"(,"latencyMs":)";
    out += text;
  }
  append_endpoints(out, u, signs, details);
  if (details) append_details(out, u, f);
}

}  // namespace

bool is_serving(const config::snapshot& s, const std::vector<finding>& found) {
  return status_of(s, found, [](const auto&) { return true; }) != "down";
}

std::string health_body(const report& r, std::optional<bool> store, bool details) {
  const auto& s = *r.snapshot;
  std::string out = R"({"status":")";
  out += status_of(s, r.found, [](const auto&) { return true; });
  out += R"(","version":")" GATE_VERSION "\"";
  if (store) append_member(out, "sharedState", *store ? "ok" : "away");
  out += R"(,"upstreams":[)";
  for (const auto& u : s.upstreams) {
    if (!out.ends_with('[')) out += ',';
    append_upstream(out, s, u, r.found[u.index], r.signs[u.index], details);
    out += '}';
  }
  return out + "]}";
}

// --- for viewers ---------------------------------------------------------------------------------

namespace {

void append_count(std::string& out, std::string_view key, std::int64_t value) {
  out.append(",\"").append(key).append("\":").append(std::to_string(value));
}
void append_flag(std::string& out, std::string_view key, bool value) {
  out.append(",\"").append(key).append(value ? "\":true" : "\":false");
}
/// An object whose members each begin with a comma.
void append_object(std::string& out, std::string_view key, std::string_view members) {
  out.append(",\"").append(key).append("\":{");
  if (!members.empty()) out.append(members.substr(1));
  out += '}';
}
void append_list(std::string& out, std::string_view key, const std::vector<std::string_view>& all) {
  out.append(",\"").append(key).append("\":[");
  for (const auto text : all) {
    if (!out.ends_with('[')) out += ',';
    json::append_quoted(out, text);
  }
  out += ']';
}

std::string budget_members(const config::budget& b) {
  std::string out;
  append_member(out, "period", config::name_of(b.period));
  append_count(out, "upstreamCalls", b.upstream_calls);
  return out;
}

/// What the operator's document says, without what is secret or says where something is.
void append_configured(std::string& out, const config::document& d, const config::snapshot& s) {
  std::string auth, policy, limits, tracing, routing;
  append_member(auth, "mode", config::name_of(d.auth.mode));
  append_count(auth, "issuers", static_cast<std::int64_t>(d.auth.issuers.size()));
  append_flag(auth, "enterprise", d.auth.ema.has_value());
  append_object(out, "auth", auth);

  append_flag(policy, "configured", d.policy.has_value());
  append_member(policy, "defaultDecision",
                config::name_of(d.policy ? d.policy->default_decision : config::decision::allow));
  append_count(policy, "rules", d.policy ? static_cast<std::int64_t>(d.policy->rules.size()) : 0);
  append_object(out, "policy", policy);

  if (const auto& r = d.server.rate_limit) {
    if (r->requests_per_minute > 0)
      append_count(limits, "requestsPerMinute", r->requests_per_minute);
    if (r->per_principal_per_minute > 0)
      append_count(limits, "perPrincipalPerMinute", r->per_principal_per_minute);
  }
  append_count(limits, "maxBodyBytes", d.server.max_body_bytes);
  if (d.server.budget) append_object(limits, "budget", budget_members(*d.server.budget));
  append_object(out, "limits", limits);

  std::vector<std::string_view> sinks;
  if (d.audit)
    for (const auto& sink : d.audit->sinks) sinks.push_back(config::name_of(sink.type));
  append_list(out, "auditSinks", sinks);

  append_flag(tracing, "enabled", d.tracing.has_value());
  if (d.tracing) {
    append_member(tracing, "serviceName", d.tracing->service_name);
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.6g", d.tracing->sample_ratio);
    tracing.append(",\"sampleRatio\":").append(ratio);
  }
  append_object(out, "tracing", tracing);

  append_member(routing, "namespaceSeparator", s.separator);
  append_count(routing, "pageSize", d.routing.page_size);
  append_member(routing, "mcpPath", d.server.mcp_path);
  append_flag(routing, "passthrough", s.passthrough);
  append_object(out, "routing", routing);
}

void append_usage(std::string& out, const usage_text& limits, const usage_text& budgets,
                  std::initializer_list<scope_key> of) {
  out += R"(,"limits":[)";
  limits.append_limits(out, of);
  out += R"(],"budgets":[)";
  budgets.append_budgets(out, of);
  out += ']';
}

/// Operators only: other viewers could tell from it when others come and go.
void append_sessions(std::string& out, const vital_signs& v) {
  std::string open;
  append_count(open, "root", v.root_sessions);
  append_count(open, "bridged", v.bridged_sessions);
  append_object(out, "sessions", open);
}

void append_viewer(std::string& out, const ask_federation& q) {
  out += R"(,"viewer":{"operator":)";
  out += q.sees_all ? "true" : "false";
  if (const auto* who = q.who->who()) {
    append_member(out, "principal", who->subject);
    append_member(out, "issuer", who->issuer);
    if (!q.who->tenant.empty()) append_member(out, "tenant", q.who->tenant);
  }
  out += '}';
}

/// The viewer's own, as the document says that it is governed.
void append_tenant(std::string& out, const config::snapshot& s, const ask_federation& q,
                   const usage_text& requests, const usage_text& calls) {
  const auto& id = q.who->tenant;
  const auto it = std::ranges::find(s.doc.tenants, id, &config::tenant::id);
  if (id.empty() || it == s.doc.tenants.end()) return;
  std::string members;
  append_member(members, "id", id);
  if (it->upstreams)
    append_list(members, "upstreams", {it->upstreams->begin(), it->upstreams->end()});
  append_usage(members, requests, calls, {{scope::tenant, id, 0}});
  append_object(out, "tenant", members);
}

}  // namespace

upstreams_seen see_upstreams(const report& r, const ask_federation& q,
                             std::chrono::system_clock::time_point now) {
  // Of numbers the viewer's snapshot tells what they mean.
  const auto seen = [&](const config::compiled_upstream& u) {
    if (q.sees_all) return true;
    const auto* known = q.under->at(u.index);
    return known && known->id == u.id && q.who->view->visible(u.index);
  };
  const auto& s = *r.snapshot;
  const usage_text calls(q.calls, now);
  upstreams_seen out{status_of(s, r.found, seen), 0, 0, "["};
  for (const auto& u : s.upstreams) {
    if (!seen(u)) continue;
    ++(u.discovered ? out.discovered : out.fixed);
    auto& list = out.list;
    if (!list.ends_with('[')) list += ',';
    append_upstream(list, s, u, r.found[u.index], r.signs[u.index], q.sees_all);
    append_member(list, "source", u.discovered ? "discovered" : "static");
    append_member(list, "authStrategy", row(u.auth.strategy).name);
    append_member(list, "protocol", config::name_of(u.protocol));
    if (q.sees_all) append_sessions(list, r.signs[u.index]);
    append_usage(list, calls, calls, {{scope::upstream, u.id, 0}});
    list += '}';
  }
  out.list += ']';
  return out;
}

std::string federation_body(const config::snapshot& s, const process_facts& about,
                            const ask_federation& q, const upstreams_seen& seen) {
  const usage_text requests(q.requests, about.now), calls(q.calls, about.now, false);
  std::string out = R"({"version":")" GATE_VERSION "\"";
  append_viewer(out, q);
  append_member(out, "status", seen.status);
  append_configured(out, s.doc, s);
  std::string used;
  append_usage(used, requests, calls, {{scope::server, {}, 0}, {scope::principal, {}, 0}});
  append_object(out, "usage", used);
  append_member(out, "sharedState", !about.store ? "none" : *about.store ? "ok" : "away");
  std::string counts;
  append_count(counts, "static", seen.fixed);
  append_count(counts, "discovered", seen.discovered);
  append_object(out, "upstreamCounts", counts);
  if (s.doc.discovery) {
    std::string state;
    if (about.discovery) {
      append_member(state, "lastOutcome", to_string(about.discovery->what));
      append_time(state += R"(,"lastSyncAt":)", about.discovery->at);
      if (q.sees_all && !about.discovery->error.empty())
        append_member(state, "error", about.discovery->error);
    }
    append_object(out, "discovery", state);
  }
  append_tenant(out, s, q, requests, calls);
  if (q.sees_all) {
    std::string open;
    append_count(open, "client", about.clients);
    append_count(open, "bridged", about.bridged);
    append_object(out, "sessions", open);
  }
  out.reserve(out.size() + seen.list.size() + 20);
  return out.append(R"(,"upstreams":)").append(seen.list) += '}';
}

}  // namespace gate::ops
