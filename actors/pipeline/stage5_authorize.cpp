#include "actors/pipeline/steps.hpp"
#include "protocol/mcp/uri_path.hpp"

namespace gate::pipeline {
namespace {

/// What policy judges: completions are behind the prompt or resource that they complete, and to end
/// a subscription takes no more than to begin it.
std::string_view judged_method(const call& c) {
  if (c.method->routing == mcp::routing::completes)
    return c.uri.empty() ? "prompts/get" : "resources/read";
  if (c.method->name == "resources/unsubscribe") return "resources/subscribe";
  return c.method->name;
}

/// The bare name or the URI.
std::string_view judged_name(call& c) {
  if (!c.uri.empty()) return mcp::judged_uri(c.uri);
  auto name = std::string_view(c.ticket.notes().name);
  name.remove_prefix(c.upstream->prefix.size());
  return name;
}

/// Not what everybody may do anyway: tasks are their owners', and so are subscriptions.
bool is_judged(const call& c) {
  if (!c.upstream || !c.method->gated || c.method->routing == mcp::routing::task) return false;
  return c.method->name != "resources/unsubscribe" || !c.session->subscriptions.contains(c.uri);
}

}  // namespace

step_result<fact<stage::authorize>> authorize_step::run(fact<stage::route> call, desk&) {
  auto& c = *call;
  if (!c.snapshot->doc.policy || !is_judged(c)) return fact<stage::authorize>(std::move(call));
  const auto method = judged_method(c);
  const auto name = judged_name(c);
  const bool of_template =
      c.method->routing == mcp::routing::completes && !c.uri.empty() && name.find('{') != name.npos;
  const auto verdict = of_template ? c.view().judge_template(c.upstream->index, method, name)
                                   : c.view().judge(c.upstream->index, method, name);
  auto& notes = c.ticket.notes();
  notes.decision = verdict.allowed ? audit::decision::allow : audit::decision::deny;
  notes.rule_id = verdict.rule;
  if (verdict.allowed) return fact<stage::authorize>(std::move(call));
  refusal why{reason::policy_denied, "policy denied ", c.upstream->id, -1};
  why.message.append(c.method->name).append(" \"").append(notes.name) += '"';
  return refused{std::move(call), std::move(why), {}};
}

}  // namespace gate::pipeline
