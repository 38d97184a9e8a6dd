#include "actors/doctor/document_checks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/doctor/words.hpp"
#include "config/options/listening.hpp"
#include "config/strategies.hpp"
#include "protocol/http/allowlist.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"

namespace gate::doctor {
namespace {

std::string place(std::string_view list, std::size_t i, std::string_view rest = {}) {
  return std::string(list) + '/' + std::to_string(i) + std::string(rest);
}

class sheet {
 public:
  explicit sheet(check what) : what_(what) {}
  void warn(std::string pointer, std::string seen, std::string advice) {
    all_.push_back(
        {severity::warning, what_, std::move(pointer), {}, std::move(seen), std::move(advice)});
  }
  void error(std::string pointer, std::string seen, std::string advice) {
    all_.push_back(
        {severity::error, what_, std::move(pointer), {}, std::move(seen), std::move(advice)});
  }
  void ok(std::string pointer, std::string seen) {
    all_.push_back({severity::ok, what_, std::move(pointer), {}, std::move(seen), {}});
  }
  /// If there is nothing else to say.
  void well(std::string seen) {
    if (all_.empty()) ok({}, std::move(seen));
  }
  findings take() { return std::move(all_); }

 private:
  check what_;
  findings all_;
};

bool in_clear(const std::string& text) {
  const auto url = http::parse_url(text);
  return url && !url->tls && !url->loopback();
}

bool names_somebody(const config::subjects& s) {
  return !s.subs.empty() || !s.groups.empty() || !s.issuers.empty() || !s.claims.empty();
}

void upstream_advice(const config::document& doc, sheet& out) {
  for (std::size_t i = 0; i < doc.upstreams.size(); ++i) {
    const auto& u = doc.upstreams[i];
    const auto at = place("/upstreams", i);
    const auto& how = config::row(u.auth.strategy);
    const bool clear =
        (u.url && in_clear(*u.url)) || (u.urls && std::ranges::any_of(*u.urls, in_clear));
    if (how.from != config::credential_source::nothing && clear)
      out.warn(at + (u.url ? "/url" : "/urls"),
               "its credential goes over the network in clear text",
               "use https, or reach it on this machine");
    if (how.of_caller && u.health_check && u.health_check->interval.count() > 0)
      out.warn(at + "/healthCheck", "does nothing: the upstream's credential is its caller's",
               "remove it");
    if (u.cache_ttl.count() >= 0 && u.cache_ttl != config::upstream{}.cache_ttl &&
        (how.of_caller || u.lists_per_client))
      out.warn(at + "/cacheTtlMs", "does nothing: its lists are each caller's", "remove it");
  }
}

void access_advice(const config::document& doc, sheet& out) {
  const bool anonymous = doc.auth.mode == config::auth_mode::disabled;
  if (anonymous && !doc.auth.issuers.empty())
    out.warn("/auth/issuers", R"(do nothing: "auth.mode" is "disabled")",
             R"(set "auth.mode" to "required", or remove them)");
  if (doc.policy && doc.policy->default_decision == config::decision::deny &&
      doc.policy->rules.empty())
    out.warn("/policy", "allows nobody anything",
             R"(add rules, or set "defaultDecision" to "allow")");
  for (std::size_t i = 0; doc.policy && i < doc.policy->rules.size(); ++i) {
    const auto& rule = doc.policy->rules[i];
    if (!rule.subjects) continue;
    if (!names_somebody(*rule.subjects))
      out.warn(place("/policy/rules", i, "/subjects"), "is nobody",
               "name somebody, or leave it out, which is anyone");
    else if (anonymous)
      out.warn(place("/policy/rules", i, "/subjects"),
               R"(is nobody: "auth.mode" is "disabled", so all callers are anonymous)",
               R"(set "auth.mode" to "required", or remove the rule)");
  }
  if (doc.policy && doc.policy->default_decision == config::decision::allow &&
      !doc.policy->rules.empty())
    out.warn("/policy/rules", R"(do nothing: "defaultDecision" is "allow", and rules only allow)",
             R"(set it to "deny", or remove them)");
  if (anonymous && !doc.tenants.empty())
    out.warn("/tenants", R"(are nobody's: "auth.mode" is "disabled")",
             R"(set "auth.mode" to "required", or remove them)");
  if (anonymous && doc.server.rate_limit && doc.server.rate_limit->per_principal_per_minute > 0)
    out.warn("/server/rateLimit/perPrincipalPerMinute",
             "is one bucket for all: callers are anonymous",
             R"(use "requestsPerMinute", or set "auth.mode" to "required")");
}

void service_advice(const config::document& doc, sheet& out) {
  const auto& s = doc.server;
  if (s.introspection.groups && !s.introspection.enabled)
    out.warn("/server/introspection/groups", R"(do nothing: "enabled" is false)",
             "set it to true, or remove them");
  if (s.console.oauth && !s.console.enabled)
    out.warn("/server/console/oauth", R"(does nothing: "enabled" is false)",
             "set it to true, or remove it");
  if (s.public_url && doc.auth.mode == config::auth_mode::required && in_clear(*s.public_url))
    out.warn("/server/publicUrl", "clients' tokens go over the network in clear text",
             "have something before the gateway that speaks TLS, and use https here");
  if (doc.tracing && doc.tracing->sample_ratio == 0)
    out.warn("/tracing", R"(traces nothing of its own: "sampleRatio" is 0)",
             "give it a value above 0; what clients have sampled is traced anyway");
  if (doc.audit && doc.audit->sinks.empty())
    out.warn("/audit", "has no sink: no event is written anywhere", "add a sink, or remove it");
}

/// Everything that clients may call it by, and where the document says so.
struct own_name {
  std::string pointer, text;
};
std::vector<own_name> names_of_gateway(const config::document& doc) {
  std::vector<own_name> out;
  if (doc.server.public_url) out.push_back({"/server/publicUrl", *doc.server.public_url});
  if (doc.auth.resource && doc.auth.mode == config::auth_mode::required)
    out.push_back({"/auth/resource", *doc.auth.resource});
  return out;
}

bool is_any_address(std::string_view host) {
  return host == "0.0.0.0" || host == "::" || host == "0" || host == "[::]";
}

}  // namespace

findings document_problems(const config::parsed& read) {
  findings out;
  for (const auto& p : read.problems)
    out.push_back({severity::error,
                   check::document,
                   printable(p.pointer),
                   {},
                   printable(p.what),
                   "the gateway does not start before it is mended"});
  if (read.untold > 0)
    out.push_back({severity::error,
                   check::document,
                   {},
                   {},
                   "further problems: " + std::to_string(read.untold),
                   "mend these first"});
  return out;
}

findings document_advice(const config::document& doc) {
  sheet out(check::document);
  upstream_advice(doc, out);
  access_advice(doc, out);
  service_advice(doc, out);
  out.well("is good: " + counted(doc.upstreams.size(), "upstream"));
  return out.take();
}

findings allowlist_findings(const config::document& doc, const machine& at) {
  sheet out(check::allowlist);
  const auto& hosts = doc.server.allowed_hosts;
  const http::allowlist list(hosts);
  const bool any = std::ranges::find(hosts, "*") != hosts.end();
  for (const auto& name : names_of_gateway(doc)) {
    const auto url = http::parse_url(name.text);
    if (!url || list.host(url->authority())) continue;
    out.error(name.pointer, "clients that call " + url->host + " get 403: the allowlist lacks it",
              R"(add it to "server.allowedHosts")");
  }
  const auto resource =
      doc.auth.resource ? http::parse_url(*doc.auth.resource) : result<http::url>(problem{});
  if (resource && doc.auth.mode == config::auth_mode::required && resource->target != "/" &&
      resource->target != doc.server.mcp_path)
    out.warn("/auth/resource",
             "its path is " + in_quotes(resource->target) + ", and MCP is at " +
                 in_quotes(doc.server.mcp_path),
             "see that what stands before the gateway maps one to the other");
  if (any)
    out.warn("/server/allowedHosts", R"("*" lets pages of any site call it by a browser of yours)",
             "name the hosts that clients call it by");
  else if (hosts.empty() && !config::is_loopback(at.host))
    out.warn("/server/allowedHosts",
             "only localhost is allowed, and it listens on " + at.host + ": others get 403",
             "name the hosts that clients call it by");
  else if (!config::is_loopback(at.host) && !is_any_address(at.host) && !list.host(at.host))
    out.warn("/server/allowedHosts", "clients that call " + at.host + ", where it listens, get 403",
             "add it, if clients are to use it");
  out.well(any             ? "every host is allowed"
           : hosts.empty() ? "localhost"
                           : counted(hosts.size(), "host") + " allowed");
  return out.take();
}

findings machine_findings(const config::document& doc, const machine& at) {
  sheet out(check::listening);
  const auto where = config::url_of(at.host, at.port);
  if (const auto taken = at.port_taken()) {
    if (taken->by == port_owner::unseen)
      out.warn({}, printable(taken->what) + "; who has it can not be seen from here",
               "run this as that program's user, or as root; if it is the gateway of this "
               "document, all is well");
    else if (taken->by == port_owner::gateway)
      out.warn({}, printable(taken->what),
               "if that is the gateway of this document, all is well; else choose another port");
    else
      out.error({}, printable(taken->what), "end that program, or choose another --host or --port");
  }
  if (!config::is_loopback(at.host) && doc.auth.mode == config::auth_mode::disabled)
    out.warn("/auth/mode", "whoever reaches " + where + " may call, without a token",
             R"(set it to "required", or listen on 127.0.0.1)");
  out.well(at.port == 0 ? "any free port of " + at.host : where + " is free");
  auto all = out.take();

  sheet files(check::descriptors);
  const auto room = std::to_string(at.descriptors) + " open files leave room for " +
                    counted(at.clients, "client");
  // Each unit keeps connections of its own to each upstream, for lists and for calls.
  const auto upstreams = doc.upstreams.size() * at.threads * 2;
  if (at.clients < limits::few_connections)
    files.warn({}, room, "raise the limit (ulimit -n; LimitNOFILE= of a unit)");
  else if (upstreams > limits::other_descriptors * at.threads)
    files.warn({},
               counted(doc.upstreams.size(), "upstream") + " may need more than the " +
                   std::to_string(limits::other_descriptors * at.threads) +
                   " descriptors that are set aside for them",
               "raise the limit (ulimit -n; LimitNOFILE= of a unit), or use less --threads");
  files.well(room);
  auto more = files.take();
  std::ranges::move(more, std::back_inserter(all));

  sheet audits(check::audit);
  for (std::size_t i = 0; doc.audit && i < doc.audit->sinks.size(); ++i) {
    const auto& sink = doc.audit->sinks[i];
    if (sink.type != config::sink_type::file) continue;
    const auto pointer = place("/audit/sinks", i, "/path");
    if (const auto can = at.could_write(*sink.path); !can)
      audits.error(pointer, printable(can.error().what),
                   "make its folder, or let this user write there");
    else
      audits.ok(pointer, printable(*sink.path) + " can be written");
  }
  more = audits.take();
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

findings examine_document(const config::parsed& read, const machine& at) {
  auto out = document_problems(read);
  if (!out.empty()) return out;
  for (auto part : {document_advice(read.doc), secrets_of(read.doc, at.secrets),
                    machine_findings(read.doc, at), allowlist_findings(read.doc, at)})
    std::ranges::move(part, std::back_inserter(out));
  return out;
}

}  // namespace gate::doctor
