#include "actors/pipeline/initialize.hpp"
#include "actors/pipeline/one_way.hpp"
#include "actors/pipeline/stage9_audit.hpp"
#include "actors/pipeline/steps.hpp"
#include "actors/pipeline/target.hpp"
#include "actors/pipeline/tracing.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"
#include "protocol/mcp/stateless/tool_rules.hpp"
#include "protocol/mcp/stateless/url_elicitations.hpp"

namespace gate::pipeline {
namespace {

/// A call that stage 7 works for.
using held = fact<stage::guard>;

std::optional<refused> set_level(held& c, desk& d) {
  const auto wanted = json::member(c->message.params, "level");
  const auto known = mcp::severity(wanted);
  if (known == mcp::log_levels.size())
    return refuse(std::move(c), reason::invalid_params,
                  "params.level " + std::string(mcp::log_levels_told));
  c->ticket.notes().name = mcp::log_levels[known];
  d.sessions.set_level(*c->session, json::quoted(mcp::log_levels[known]));
  return {};
}

/// The gateway's own answers.
std::optional<refused> answer_locally(held& c, desk& d) {
  if (c->method->name == mcp::names::set_level)
    if (auto no = set_level(c, d)) return no;
  c->result = "{}";
  return {};
}

refused down(held c, no_answer why) {
  auto r = unavailable_upstream(c->upstream->id, why);
  return {std::move(c), std::move(r), {}};
}

/// A server that has sessions wants a URL to be visited and the call to come again then: a client
/// without one is asked that by a result. False: its error is another one.
bool ask_for_visits(call& c, const answered& m) {
  if (c.era != mcp::era::stateless || m.by != mcp::era::session ||
      !mcp::stateless::asks_by_result(c.method->name))
    return false;
  auto asks = mcp::stateless::ask_for_visits(m.payload);
  if (asks.empty()) return false;
  c.by = mcp::era::stateless;  // it is whole as it is
  if (mcp::refuses_request(*c.declares, mcp::names::elicit, R"({"mode":"url"})") != 0) {
    c.error = mcp::stateless::visits_not_declared;
    return true;
  }
  auto text = std::make_shared<const std::string>(std::move(asks));
  c.result = *text;
  c.keep = text;
  return true;
}

/// Is its upstream asked, or free, to make a task of it? Clients with a session ask for one by a
/// member of the params that is none of those that the gateway knows.
bool may_mint(const call& c) {
  if (c.method->name != mcp::names::call_tool) return false;
  return c.message.other_params || c.takes_tasks || c.question.needs_task;
}

/// The list, of which stage 8 cuts a page; or what the outcome means for the client.
std::optional<refused> take_list(held& c, list_outcome&& o) {
  using state = list_outcome::state;
  switch (o.what) {
    case state::refused:
      return refused{std::move(c), *o.refusal, {}};
    case state::all_down:
      return refused{std::move(c), unavailable_upstreams(o.detail), {}};
    case state::upstream_error: {
      auto text = std::make_shared<const std::string>(std::move(o.detail));
      c->error = *text;
      c->keep = text;
      return {};
    }
    case state::waiting:
    case state::ready:
      break;
  }
  c->list = std::move(o.list);
  return {};
}

}  // namespace

step_result<fact<stage::proxy>> proxy_step::run(held c, desk& d) {
  switch (c->route) {
    case route::stream:
      if (auto no = open_stream(c, d)) return std::move(*no);
      return settled{};
    case route::farewell:
      end_session(std::move(c), d);
      return settled{};
    case route::notice:
      pass_notification(std::move(c), d);
      return settled{};
    case route::reply:
      pass_reply(std::move(c), d);
      return settled{};
    case route::batch:
      take_apart(*c, d);
      return settled{};
    case route::local:
      if (c->method->name == mcp::names::initialize) return open(std::move(c), d);
      if (c->method->name == mcp::names::discover) return resume_open(std::move(c), d);
      if (auto no = answer_locally(c, d)) return std::move(*no);
      return fact<stage::proxy>(std::move(c));
    case route::listen:
      return resume_open(std::move(c), d);
    case route::tasks:
      d.tasks.gather(std::move(c));
      return settled{};
    case route::list:
      return look_up(std::move(c), d);
    default:
      break;
  }
  return ask(std::move(c), d);
}

/// The last look at a request before its upstream is asked, or goes on with what it was asked: what
/// its headers repeat of the arguments is what these are.
step_result<fact<stage::proxy>> proxy_step::ask(held c, desk& d) {
  if (c->era == mcp::era::stateless && cancelled_by_client(*c, d)) return settled{};
  if (c->era == mcp::era::stateless && c->method->name == mcp::names::call_tool) {
    const auto& head = *c->request().head;
    // Whoever takes tasks waits to hear whether the tool is to become one.
    const auto tool = d.lists.tool(*c, c->takes_tasks || head.names_params);
    if (tool.waiting) {
      d.lists.wait_for_tool(std::move(c));
      return settled{};
    }
    if (tool.rules)
      if (auto wrong = mcp::stateless::param_disagreement(head.headers, tool.rules->headers,
                                                          c->message.arguments))
        return refuse(std::move(c), reason::header_mismatch, std::move(*wrong));
    if (tool.rules && tool.rules->needs_task) {
      if (!c->takes_tasks)
        return lacks_tasks(std::move(c), "the tool, which makes a task of each call,");
      c->question.needs_task = true;
    }
  }
  c->mints = may_mint(*c);
  if (c->question.resumes) {
    const auto how = d.suspensions.go_on(c);
    if (how == suspension_desk::outcome::left || how == suspension_desk::outcome::parked)
      return settled{};
  }
  if (c->ready) {
    const auto answer = std::move(*c->ready);
    return resume(std::move(c), answer, d);
  }
  if (d.tasks.hand_over(c)) return settled{};
  const auto index = c->upstream->index;
  auto question = std::move(c->question);
  enter_upstream(*c, question);
  ++c->ticket.notes().upstream_calls;  // corrected by the answer
  if (!question.anywhere) c->session->upstreams.add(index);
  question.call = d.upstreams.park(std::move(c));
  d.upstreams.ask(index, std::move(question));
  return settled{};
}

/// A session is opened, and a server described, when it is known what to declare to its client.
step_result<fact<stage::proxy>> proxy_step::open(held c, desk& d) {
  if (auto no = begin_session(c, d)) return std::move(*no);
  if (d.sessions.share(c)) return settled{};
  return resume_open(std::move(c), d);
}

step_result<fact<stage::proxy>> proxy_step::look_up(held c, desk& d) {
  auto outcome = d.lists.list(*c);
  if (outcome.what == list_outcome::state::waiting) {
    d.lists.wait(std::move(c));
    return settled{};
  }
  return resume_list(std::move(c), std::move(outcome));
}

step_result<fact<stage::proxy>> proxy_step::resume_open(held c, desk& d) {
  const auto abilities = d.introductions.abilities(*c);
  if (!abilities) {
    d.introductions.wait(std::move(c));
    return settled{};
  }
  if (c->listening) {
    if (auto no = begin_listening(c, *abilities, d)) return std::move(*no);
    return settled{};
  }
  if (c->era == mcp::era::stateless) {
    c->partial = !abilities->whole;
    finish_discover(*c, *abilities);
  } else {
    finish_initialize(*c, *abilities);
  }
  return fact<stage::proxy>(std::move(c));
}

step_result<fact<stage::proxy>> proxy_step::resume(held c, const answered& m, desk& d) {
  c->ticket.notes().upstream_calls += m.upstream_calls;
  if (!c->ready) --c->ticket.notes().upstream_calls;
  leave_upstream(*c, m);
  if (m.refused) return refused{std::move(c), *m.refused, {}};
  if (m.what == answer::down) return down(std::move(c), m.why);
  c->keep = m.keep;
  c->by = m.by;
  c->wrapped = m.wrapped;
  if (m.what == answer::result) {
    c->result = m.payload;
    c->has = m.has;
    d.upstreams.note_result(*c);
  } else if (!ask_for_visits(*c, m)) {
    c->error = m.payload;
    c->secret_error = m.quotes_credential;
  }
  c->ticket.notes().usage = m.usage.size() <= limits::audit_usage_bytes
                                ? std::string(m.usage)
                                : audit::usage_marker("too long", m.usage.size());
  if (!m.task.empty()) d.tasks.pin(*c, m.task);
  return fact<stage::proxy>(std::move(c));
}

step_result<fact<stage::proxy>> proxy_step::resume_list(held c, list_outcome outcome) {
  if (auto no = take_list(c, std::move(outcome))) return std::move(*no);
  return fact<stage::proxy>(std::move(c));
}

}  // namespace gate::pipeline
