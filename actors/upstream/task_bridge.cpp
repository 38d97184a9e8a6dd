#include "actors/upstream/task_bridge.hpp"

#include <algorithm>
#include <array>
#include <list>

#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/task_hearings.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/audit/event.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/input_required.hpp"
#include "protocol/mcp/stateless/results.hpp"
#include "protocol/mcp/stateless/task_shapes.hpp"
#include "protocol/mcp/stateless/wrapping.hpp"

namespace gate::upstream {

namespace stateless = mcp::stateless;
using stateless::task_status;

namespace {

constexpr std::string_view has_ended_error =
    R"({"code":-32602,"message":"the task has ended: it can not be cancelled or told anything"})";
constexpr std::array task_member{std::string_view("task")};

std::string params_of(const invoke& c) {
  return std::string(c.first).append(c.second);
}

/// The call has these params from now on. `key`: of the member that says what it is about.
void rewrite(invoke& c, std::string params, std::string_view key) {
  auto text = std::make_shared<const std::string>(std::move(params));
  c.first = *text;
  c.second = {};
  c.meta = json::member(c.first, "_meta");
  if (!c.token.empty()) c.token = json::member(c.meta, "progressToken");
  c.arguments = json::member(c.first, "arguments");
  c.named = json::member(c.first, key);
  if (c.named.size() > 2) c.named = c.named.substr(1, c.named.size() - 2);
  c.keep = std::move(text);
}

bool has_members(std::string_view raw) {
  bool any = false;
  stateless::each_member(raw, [&](auto, auto) { any = true; });
  return any || (!raw.empty() && !raw.starts_with('{'));
}

/// A result of a tool, its values as clients with a session read them.
std::string for_session_client(std::string_view raw_result, bool wrapped) {
  const auto text = stateless::wrap_result(raw_result, stateless::tool_result(raw_result), wrapped);
  return text ? *text : std::string(raw_result);
}

std::string about(std::string_view raw_id) {
  return R"({"taskId":)" + std::string(raw_id) + "}";
}

}  // namespace

// --- before it is sent ---------------------------------------------------------------------------

std::optional<std::string> task_bridge::own_answer(const work& w) {
  if (w.call.declares && !s_.stateless() && w.call.method == mcp::names::update_task &&
      !json::member(w.call.first, "inputResponses").starts_with('{'))
    return R"("error":{"code":-32602,"message":"params.inputResponses must be an object"}})";
  if (ended_.size() == 0 || w.call.declares || !s_.stateless()) return {};
  const auto& method = w.call.method;
  if (mcp::task_step_of(method) == mcp::task_step::none) return {};
  const auto* t = ended_.find(json::member(w.call.first, "taskId"), s_.now());
  if (!t) return {};
  if (method == mcp::names::get_task) return R"("result":)" + t->told + "}";
  if (method == mcp::names::task_result)
    return R"("result":)" + stateless::result_for_sessions(t->result, t->id) + "}";
  return R"("error":)" + std::string(has_ended_error) + "}";
}

void task_bridge::prepare(work& w) {
  const bool of_stateless = w.call.declares != nullptr;
  if (of_stateless == s_.stateless()) return;
  if (!w.errand) return of_stateless ? prepare_for_sessions(w) : prepare_for_stateless(w);
  auto& e = *w.errand;
  // (What was asked before there was a task goes with the call itself.)
  if (!w.input || e.id.empty()) return;
  e.method = mcp::names::update_task;
  e.params = R"({"taskId":)" + e.id + R"(,"inputResponses":{)" + w.input->answers() + "}}";
  for (auto& r : w.input->requests) e.answered.insert(std::move(r.key));
  w.input = nullptr;
}

void task_bridge::prepare_for_stateless(work& w) {
  auto& c = w.call;
  task_errand e;
  e.server = mcp::era::stateless;
  const bool calls = c.method == mcp::names::call_tool;
  if (calls && !s_.talk.agreed().features.has(mcp::feature::task_calls)) return;
  if (!calls && mcp::task_step_of(c.method) == mcp::task_step::none) return;
  const auto params = params_of(c);
  const bool wished = !json::member(params, task_member[0]).empty();
  if (calls && !wished) return;
  // (Some clients say it with whatever they ask of the task, too.)
  if (wished) rewrite(c, stateless::leave_out(params, task_member), calls ? "name" : "taskId");
  if (!calls) {
    e.id = json::member(c.first, "taskId");
    if (c.method == mcp::names::task_result || c.method == mcp::names::cancel_task) {
      e.method = mcp::names::get_task;
      e.params = about(e.id);
    }
  }
  w.errand = std::make_unique<task_errand>(std::move(e));
}

void task_bridge::prepare_for_sessions(work& w) {
  auto& c = w.call;
  task_errand e;
  e.server = mcp::era::session;
  if (c.method == mcp::names::call_tool) {
    const bool makes = c.needs_task && s_.talk.agreed().features.has(mcp::feature::task_calls);
    if (!makes && c.has_task) rewrite(c, stateless::leave_out(params_of(c), task_member), "name");
    if (!makes) return;
    rewrite(c,
            stateless::put_first(stateless::leave_out(params_of(c), task_member), R"("task":{})"),
            "name");
  } else {
    if (mcp::task_step_of(c.method) == mcp::task_step::none) return;
    e.id = json::member(c.first, "taskId");
    if (c.method == mcp::names::update_task) {
      e.method = mcp::names::get_task;
      e.params = about(e.id);
    }
  }
  w.errand = std::make_unique<task_errand>(std::move(e));
}

bool task_bridge::took(job& w, const jsonrpc::message& m) {
  if (!w->errand) return false;
  // (By whom was asked: another server may have taken its place meanwhile.)
  return w->errand->server == mcp::era::stateless ? ask_stateless(w, m) : ask_session(w, m);
}

// --- a client with a session, a server without ---------------------------------------------------

bool task_bridge::ask_stateless(job& w, const jsonrpc::message& m) {
  const auto& method = w->call.method;
  // (Answers may come too late for the task: how it is then says the next look.)
  const bool updated = w->errand->method == mcp::names::update_task;
  if (!m.error.empty() && !updated) return false;
  if (method == mcp::names::call_tool) {
    if (stateless::is_task(m.result)) {
      if (stateless::read_task(m.result).id.empty()) return false;
      return answer(std::move(w), stateless::created_for_sessions(m.result)), true;
    }
    if (!m.result.starts_with('{') || !stateless::is_complete(m.result_type)) return false;
    return make_ended(std::move(w), m.result), true;
  }
  if (updated || w->errand->method == mcp::names::cancel_task)
    return leg(std::move(w), mcp::names::get_task), true;
  if (method == mcp::names::update_task) return false;
  if (stateless::read_task(m.result).id.empty())
    return fail(std::move(w), "answered a question about a task with something else"), true;
  if (method == mcp::names::task_result)
    wait_for_end(std::move(w), m.result);
  else if (method == mcp::names::cancel_task && !w->errand->cancels)
    cancel(std::move(w), m.result);
  else
    answer(std::move(w), stateless::for_sessions(m.result));
  return true;
}

/// Its client waits for a task, and will ask for it.
void task_bridge::make_ended(job w, std::string_view raw_result) {
  auto result = for_session_client(raw_result, w->tool && w->tool->wrapped);
  ended_tasks::task t;
  t.id = json::quoted("gate-" + s_.doors.secret_name());
  t.told = stateless::ended_task(t.id, stateless::is_failure(raw_result),
                                 audit::rfc3339(s_.doors.wall()), limits::ended_task_time);
  t.result = std::move(result);
  t.until = s_.now() + limits::ended_task_time;
  auto created = R"({"task":)" + t.told + "}";
  const auto until = t.until;
  if (!ended_.add(std::move(t), s_.now()))
    return refuse(std::move(w),
                  "the upstream made no task of the call, and its result is too "
                  "large to be kept");
  s_.wake.set(until);
  answer(std::move(w), std::move(created));
}

void task_bridge::wait_for_end(job w, std::string_view raw) {
  auto& e = *w->errand;
  const auto task = stateless::read_task(raw);
  switch (task.status) {
    case task_status::working:
      return hold(std::move(w), task.poll);
    case task_status::cancelled:
      return refuse(std::move(w), "the task was cancelled");
    case task_status::failed:
      if (task.error.starts_with('{')) return end(std::move(w), R"("error":)", task.error);
      [[fallthrough]];
    case task_status::completed: {
      if (!task.result.starts_with('{') ||
          !stateless::is_complete(json::member(task.result, "resultType")))
        return refuse(std::move(w), "the upstream says that the task has ended, and not how");
      return answer(std::move(w),
                    stateless::result_for_sessions(for_session_client(task.result, false), e.id));
    }
    case task_status::input_required:
      break;
  }
  // What was asked may have been answered, and the task not know it yet.
  if (!has_members(task.requests)) return hold(std::move(w), task.poll);
  auto asked = stateless::read_input_required(raw);
  if (!asked) return refuse(std::move(w), asked.error().what);
  std::erase_if(asked->requests, [&](const auto& r) { return e.answered.contains(r.key); });
  // It has the answers, and goes on with them.
  if (asked->requests.empty()) return hold(std::move(w), task.poll);
  if (e.answered.size() + asked->requests.size() > limits::session_questions)
    return refuse(std::move(w), "the upstream asks for input without end");
  // A client of the session generation is told with each request which task it is about.
  std::list<std::string> told;
  for (auto& q : asked->requests)
    q.params =
        told.emplace_back(stateless::with_related_task(q.params.empty() ? "{}" : q.params, e.id));
  ++e.legs;
  r_.desk.works(*w);
  r_.input.ask(std::move(w), *asked);
}

void task_bridge::cancel(job w, std::string_view raw) {
  if (stateless::has_ended(stateless::read_task(raw).status))
    return end(std::move(w), R"("error":)", has_ended_error);
  w->errand->cancels = true;
  leg(std::move(w), mcp::names::cancel_task);
}

// --- a client without a session, a server with sessions ------------------------------------------

bool task_bridge::ask_session(job& w, const jsonrpc::message& m) {
  auto& e = *w->errand;
  const auto& method = w->call.method;
  if (e.method == mcp::names::task_result) return show_end(std::move(w), m), true;
  if (!m.error.empty()) {
    if (method != mcp::names::cancel_task || !e.method.empty()) return false;
    return leg(std::move(w), mcp::names::get_task), true;
  }
  if (method == mcp::names::call_tool) {
    if (stateless::created_task(m.result).empty()) {
      if (json::member(m.result, task_member[0]).empty()) return false;
      // Its client would take it for a result without content.
      return fail(std::move(w), "made a task of a call, and named none"), true;
    }
    return answer(std::move(w), stateless::created_for_stateless(m.result)), true;
  }
  if (method == mcp::names::get_task) {
    if (stateless::read_task(m.result).id.empty())
      return fail(std::move(w), "answered a question about a task with something else"), true;
    return show(std::move(w), m.result), true;
  }
  if (method == mcp::names::update_task) {
    const auto params = params_of(w->call);
    r_.hearings.answer(e.id, json::member(params, "inputResponses"));
  }
  return answer(std::move(w), R"({"resultType":"complete"})"), true;
}

void task_bridge::show(job w, std::string_view raw) {
  auto& e = *w->errand;
  const auto status = stateless::read_task(raw).status;
  if (stateless::has_ended(status)) r_.hearings.forget(e.id);
  // Whose it is is not known yet: nothing of it is taken from whoever that is.
  if (w->call.probes) return answer(std::move(w), stateless::for_stateless(raw, {}, {}));
  e.shown = raw;
  switch (status) {
    case task_status::working:
    case task_status::cancelled:
      return answer(std::move(w), stateless::for_stateless(raw, {}, {}));
    case task_status::completed:
    case task_status::failed:
      return leg(std::move(w), mcp::names::task_result);
    case task_status::input_required:
      break;
  }
  const auto opened = r_.hearings.open(e.id);
  w->upstream_calls += opened == task_hearings::opened::anew;
  if (opened == task_hearings::opened::no ||
      !r_.hearings.questions(e.id, *w->call.declares).empty())
    return show_questions(std::move(w));
  hold(std::move(w), limits::task_question);
}

/// Without one there is nothing that its client could do.
void task_bridge::show_questions(job w) {
  const auto asked = r_.hearings.questions(w->errand->id, *w->call.declares);
  auto text = stateless::for_stateless(w->errand->shown, asked, asked.empty() ? "working" : "");
  answer(std::move(w), std::move(text));
}

void task_bridge::show_end(job w, const jsonrpc::message& m) {
  const bool failed = !m.error.empty();
  const auto members =
      std::string(failed ? R"("error":)" : R"("result":)").append(failed ? m.error : m.result);
  auto text = stateless::for_stateless(w->errand->shown, members, failed ? "failed" : "completed");
  answer(std::move(w), std::move(text));
}

// --- both ----------------------------------------------------------------------------------------

void task_bridge::leg(job w, std::string_view method) {
  auto& e = *w->errand;
  e.method = method;
  e.params = about(e.id);
  ++e.legs;
  r_.desk.works(*w);
  // Who waits for the task's end does so for a time in all.
  if (w->call.method != mcp::names::task_result) w->time.said(s_.now());
  r_.desk.again(std::move(w));
}

void task_bridge::hold(job w, std::chrono::milliseconds pause) {
  w->errand->pausing = true;
  r_.desk.works(*w);
  auto& held = s_.table.add(s_.table.new_id(), purpose::work, s_.talk.epoch());
  held.resume_at = s_.now() + pause;
  s_.wake.set(std::min(held.resume_at, w->time.deadline));
  held.job = std::move(w);
}

bool task_bridge::resume(std::uint64_t id, const pending& p) {
  if (!p.job || !p.job->errand || !p.job->errand->pausing) return false;
  auto node = s_.table.take(id);
  auto w = std::move(node.mapped().job);
  w->errand->pausing = false;
  if (w->errand->server == mcp::era::stateless)
    leg(std::move(w), mcp::names::get_task);
  else
    show_questions(std::move(w));
  return true;
}

bool task_bridge::late(pending& p) {
  if (p.answered || !p.job || !p.job->errand || !p.job->errand->pausing) return false;
  r_.desk.fail(*p.job, no_answer::timed_out, false, verdict::neutral);
  return true;
}

void task_bridge::resume_within(std::string_view raw_id, std::chrono::milliseconds pause) {
  const auto at = s_.now() + pause;
  for (auto& [id, p] : s_.table.all()) {
    if (!p.job || !p.job->errand || !p.job->errand->pausing) continue;
    if (p.resume_at <= at || !json::same_scalar(p.job->errand->id, raw_id)) continue;
    p.resume_at = at;
    s_.wake.set(at);
  }
}

void task_bridge::answer(job w, std::string_view result) {
  w->errand->translated = true;
  end(std::move(w), R"("result":)", result);
}

void task_bridge::refuse(job w, std::string_view why) {
  const auto error = R"({"code":-32603,"message":)" + json::quoted(why) + "}";
  end(std::move(w), R"("error":)", error);
}

void task_bridge::end(job w, std::string_view name, std::string_view value) {
  r_.desk.works(*w);
  r_.desk.answer_with(*w, std::string(name).append(value).append("}"), verdict::success);
}

void task_bridge::fail(job w, std::string_view how) {
  s_.log.failed(how, {});
  r_.desk.fail(*w, no_answer::request_failed, false, verdict::failure);
}

}  // namespace gate::upstream
