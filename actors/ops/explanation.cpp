#include "actors/ops/explanation.hpp"

#include "actors/guards/refusals.hpp"
#include "actors/ops/reports.hpp"
#include "actors/ops/usage_text.hpp"
#include "protocol/json/scan.hpp"

namespace gate::ops {
namespace {

void append(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  if (!out.ends_with('{')) out += ',';
  json::append_quoted(out, key);
  out += ':';
  json::append_quoted(out, text);
}

std::string_view word_of(audit::decision d) {
  return d == audit::decision::allow ? "allow" : d == audit::decision::deny ? "deny" : "none";
}

}  // namespace

std::optional<refusal> guards_verdict(const explanation& e) {
  if (e.upstream.empty()) return {};
  for (const auto& w : e.calls.shown.windows)
    if (w.retry_after.count() > 0) return guards::rate_limited(e.upstream, w.retry_after);
  if (e.breaker == breaker_state::open) return guards::circuit_open(e.upstream);
  const auto& budgets = e.calls.shown.budgets;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const auto& a = (*e.calls.costs)[i];
    if (budgets[i].used < a.upstream_calls) continue;
    charged no;
    no.yes = false;
    no.scope = a.key;
    no.used = budgets[i].used;
    no.limit = a.upstream_calls;
    no.resets = budgets[i].resets;
    return guards::budget_exhausted(no);
  }
  return {};
}

std::string explanation_body(const explanation& e, std::chrono::system_clock::time_point now) {
  std::string out = "{";
  append(out, "method", e.method);
  append(out, "name", e.name);
  append(out, "upstream", e.upstream);
  append(out, "decision", word_of(e.decision));
  append(out, "ruleId", e.rule);
  append(out, "tenant", e.tenant);
  const usage_text requests(e.requests, now), calls(e.calls, now);
  out += R"(,"limits":[)";
  requests.append_limits(out);
  calls.append_limits(out);
  out += R"(],"budgets":[)";
  calls.append_budgets(out);
  out += ']';
  if (e.breaker) append(out, "breaker", name_of(*e.breaker));
  if (!e.unknown.empty()) {
    out += R"(,"unknownLists":[)";
    for (const auto& id : e.unknown) {
      if (!out.ends_with('[')) out += ',';
      json::append_quoted(out, id);
    }
    out += ']';
  }
  if (const auto no = e.refused ? e.refused : guards_verdict(e)) {
    append(out, "reason", row(no->why).word);
    append(out, "message", no->message);
  }
  return out + '}';
}

}  // namespace gate::ops
