// UPSTREAM SESSION: progress of calls, and that a call which says something goes on.
//
//   progress with a token     on the call's stream   on the session's own   on another's stream
//   of a call that runs       the call's             the call's             nobody's
//   of a task of this client  the client's: on the stream of a call of its own, else on its own
//   unknown                   nobody's
#include <functional>

#include "actors/upstream/session.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/progress.hpp"

namespace gate::upstream {
namespace {

/// The end of a request that is not as the client wrote it, and what its other pieces are of.
struct ending {
  std::string text;
  std::shared_ptr<const void> rest;
};

}  // namespace

/// The request as the client made it, but for its progress token.
void session::send_call(work& w, std::uint64_t id) {
  const auto& c = w.call;
  auto head = request_head(id, c.method);
  const std::string_view tail = c.first.empty() ? "{}}" : "}";
  if (c.token.empty()) {
    post(std::move(head), c.first, c.second, tail, c.keep, false, w.trace());
    return;
  }
  // Clients and sessions have different names, and the server calls those of another gateway
  // something else, so sessions choose different tokens.
  if (!tokens_)
    tokens_ = std::make_shared<progress_tokens>(c.client ^ name_of_session() << 16U ^
                                                std::hash<std::string>{}(session_id_));
  w.progress = progress_ticket(tokens_, id, c.token);
  auto p = mcp::replace_token(std::move(head), c.first, c.second, tail, c.token,
                              progress_tokens::raw(w.progress.number(), c.token));
  // What stands behind the token lives as long as the request does.
  auto own = std::make_shared<const ending>(ending{std::move(p.after), c.keep});
  const std::string_view after = own->text;
  post(std::move(p.before), p.first, p.second, after, std::move(own), false, w.trace());
}

void session::on_progress(pending* p, const jsonrpc::message& m, const std::string& text) {
  const auto token = mcp::read_progress_token(m.params);
  const auto* means = tokens_ && token ? tokens_->find(*token) : nullptr;
  if (!means) return;
  auto restored = text;
  restored.replace(static_cast<std::size_t>(token->data() - text.data()), token->size(),
                   means->theirs);
  const auto at = pending_.find(means->request);
  if (at != pending_.end() && at->second.call()) {
    if (p && p != &at->second && p->kind != purpose::stream) return;
    goes_on(at->second);
    return send(shared_->router, relayed{at->second.call()->call, std::move(restored), 0, 0});
  }
  if (means->request != 0) return;
  if (p && p->call()) {
    goes_on(*p);
    return send(shared_->router,
                relayed{p->call()->call, std::move(restored), client_, shared_->config.index});
  }
  send(shared_->router, heard{client_, shared_->config.index, std::move(restored), {}, 0});
}

/// The upstream has said something within this call.
void session::goes_on(pending& p) {
  p.job->time.said(now());
  works(*p.job);
}

/// A call was answered with a task (raw id; or empty), or was about one that has ended with it.
void session::note_task(work& w, std::string_view raw_task) {
  if (!tokens_) return;
  const bool of_task = w.call.method.starts_with("tasks/");
  if (!of_task && !w.progress) return;
  if (of_task && w.call.method != "tasks/result" && w.call.method != "tasks/cancel") return;
  std::string task;
  if (!json::unquote(of_task ? json::member(w.call.first, "taskId") : raw_task, task)) return;
  if (of_task)
    tokens_->end_task(task);
  else
    w.progress.keep_for_task(task);
}

}  // namespace gate::upstream
