#include "actors/upstream/server_messages.hpp"

#include <charconv>

#include "actors/upstream/sender.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/watching.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/progress.hpp"

namespace gate::upstream {
namespace {

/// Resources and their templates share one notification.
template <class F>
bool for_lists_of(std::string_view notification, F f) {
  bool any = false;
  for (const auto& l : mcp::lists) {
    if (l.change_notice.empty() || l.change_notice != notification) continue;
    any = true;
    f(l.kind);
  }
  return any;
}

/// What is no number is the client's to judge.
bool grows(double& last, std::string_view raw) {
  double now = 0;
  const auto* end = raw.data() + raw.size();
  if (const auto read = std::from_chars(raw.data(), end, now);
      read.ec != std::errc{} || read.ptr != end)
    return true;
  return now > last && (last = now, true);
}

}  // namespace

void server_messages::on(pending* p, const jsonrpc::message& m, const std::string& text) {
  const auto* call = p ? p->call() : nullptr;
  if (m.kind == jsonrpc::kind::request) return on_question(call ? p : nullptr, m, text);
  if (m.method == mcp::names::progress) return on_progress(p, m, text);
  // That it talks does not prove that it works: it may go on so for ever.
  if (call) p->job->time.said(s_.now());
  if (for_lists_of(m.method, [](auto) {})) return on_list_changed(m.method);
  const auto client = s_.who.client;
  const auto upstream = s_.of.config.index;
  if (m.method == mcp::names::cancelled) {
    const auto asker = question_over(m.request_id);
    return s_.doors.tell(server_request_cancelled{asker, client, s_.name(),
                                                  std::string(m.request_id),
                                                  std::string(json::member(m.params, "reason"))});
  }
  // An update is for whom this session is subscribed for, wherever it is said.
  const bool update = m.method == mcp::names::resource_updated;
  // What else is said on a call's stream belongs to the call, whatever it is.
  if (call && !update) return s_.doors.tell(call_notification{call->call, text, 0, 0});
  if (update && m.uri.empty()) return;
  if (s_.root()) return update ? r_.watch.updated(m.uri, text) : void();
  s_.last_used = s_.now();
  client_notification h{client, upstream, text, {}, call ? call->call : 0};
  if (update) h.updated = json::canonical(m.uri);
  s_.doors.tell(std::move(h));
}

void server_messages::on_question(pending* call, const jsonrpc::message& m,
                                  const std::string& text) {
  if (m.method == mcp::names::ping) return r_.out.notice(jsonrpc::result_head(m.id) + "{}}");
  if (!call && (s_.root() || !s_.client.wants_stream() || s_.client.in_calls_only()))
    return r_.out.notice(jsonrpc::error_message(m.id, jsonrpc::method_not_found,
                                                "no client is there to take requests"));
  if (call) {
    // A stream that was gone on with may say again what had no id of its own.
    auto& open = call->questions;
    if (call->place.was_resumed() && find_id(open, m.id) != open.end()) return;
    if (call->questions.size() >= limits::session_questions)
      return r_.out.notice(
          jsonrpc::error_message(m.id, jsonrpc::internal_error, "too many requests"));
    call->questions.emplace_back(m.id);
    call->job->time.ask(s_.now());
    r_.desk.works(*call->job);
  }
  // A human may take that long to answer, and the answer must find the session that asked.
  if (!call) r_.place.asks_until(s_.now() + limits::question);
  if (!call && s_.greets) s_.greets->asked(m.id);
  const auto offset = [&](std::string_view part) {
    return part.empty() ? 0 : static_cast<std::size_t>(part.data() - text.data());
  };
  const auto token = json::member(m.meta, "progressToken");
  s_.doors.tell(server_request{call ? call->call()->call : 0, s_.of.config.index, s_.who.client,
                               s_.name(), std::string(m.id), text, offset(m.id), std::string(token),
                               offset(token)});
}

std::uint64_t server_messages::question_over(std::string_view raw_id) {
  auto* p = s_.table.end_question(raw_id);
  if (!p) return 0;
  if (p->questions.empty()) {
    if (p->job) p->job->time.answered(s_.now());
    s_.wake.set(p->deadline());
    r_.streams.await_word(*p);
  }
  return p->call() ? p->call()->call : 0;
}

// --- lists ---------------------------------------------------------------------------------------

void server_messages::on_list_changed(std::string_view notification) {
  for_lists_of(notification, [this](mcp::list_kind k) {
    r_.place.heard_of_change();
    s_.doors.tell(list_changed{s_.of.config.index, k, true, s_.who.client, s_.who.principal});
  });
}

void server_messages::suspect_lists() {
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k)
    s_.doors.tell(list_changed{s_.of.config.index, static_cast<mcp::list_kind>(k), false,
                               s_.who.client, s_.who.principal});
}

// --- progress ------------------------------------------------------------------------------------

void server_messages::on_progress(pending* p, const jsonrpc::message& m, const std::string& text) {
  const auto token = mcp::read_progress_token(m.params);
  const auto* means = s_.progress && token ? s_.progress->find(*token) : nullptr;
  if (!means) return;
  auto restored = text;
  restored.replace(static_cast<std::size_t>(token->data() - text.data()), token->size(),
                   means->theirs);
  const auto client = s_.who.client;
  const auto upstream = s_.of.config.index;
  auto* of_call = s_.table.find(means->request);
  if (of_call && of_call->call()) {
    if (p && p != of_call && p->kind != purpose::stream) return;
    r_.desk.goes_on(*of_call);
    if (s_.stateless() && !grows(of_call->job->progressed, json::member(m.params, "progress")))
      return;
    return s_.doors.tell(call_notification{of_call->call()->call, std::move(restored), 0, 0});
  }
  if (means->request != 0) return;
  if (p && p->call()) {
    r_.desk.goes_on(*p);
    return s_.doors.tell(call_notification{p->call()->call, std::move(restored), client, upstream});
  }
  s_.doors.tell(client_notification{client, upstream, std::move(restored), {}, 0});
}

void server_messages::note_task(work& w, std::string_view raw_task) {
  if (!s_.progress) return;
  const auto step = mcp::task_step_of(w.call.method);
  const bool of_task = step != mcp::task_step::none;
  if ((!of_task && !w.progress) || step == mcp::task_step::asks) return;
  std::string task;
  if (!json::unquote(of_task ? json::member(w.call.first, "taskId") : raw_task, task)) return;
  if (of_task)
    s_.progress->end_task(task);
  else
    w.progress.keep_for_task(task);
}

}  // namespace gate::upstream
