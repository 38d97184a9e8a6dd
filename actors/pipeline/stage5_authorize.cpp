#include "actors/pipeline/steps.hpp"
#include "protocol/mcp/app_resources.hpp"
#include "protocol/mcp/uri_path.hpp"

namespace gate::pipeline {
namespace {

/// The name or the URI, as the upstream calls it.
std::string judged_name(call& c) {
  if (!c.uri.empty()) return std::string(mcp::judged_uri(mcp::own_uri(c.upstream->space, c.uri)));
  return c.ticket.notes().name.substr(c.upstream->prefix.size());
}

/// Not what everybody may do anyway: tasks are their owners', and so are subscriptions.
bool is_judged(const call& c) {
  if (!c.upstream) return false;
  switch (c.method->judging) {
    case mcp::judging::never:
    case mcp::judging::owner:
      return false;
    case mcp::judging::begun:
      return !c.session->subscriptions.contains(c.uri);
    case mcp::judging::itself:
    case mcp::judging::completed:
      break;
  }
  return true;
}

/// What it may not subscribe to it does not hear of.
void leave_allowed(call& c) {
  std::erase_if(c.listening->owned, [&](const auto& x) {
    const auto& [uri, upstream] = x;
    const auto own = mcp::own_uri(c.snapshot->at(upstream)->space, uri);
    return !c.view().judge(upstream, mcp::names::subscribe, mcp::judged_uri(own)).allowed;
  });
}

}  // namespace

step_result<fact<stage::authorize>> authorize_step::run(fact<stage::route> call, desk&) {
  auto& c = *call;
  if (c.listening) leave_allowed(c);
  if (!c.snapshot->doc.policy || !is_judged(c)) return fact<stage::authorize>(std::move(call));
  const auto method = mcp::judged_as(*c.method, !c.uri.empty());
  const auto name = judged_name(c);
  const bool of_template =
      c.method->judging == mcp::judging::completed && !c.uri.empty() && name.find('{') != name.npos;
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
