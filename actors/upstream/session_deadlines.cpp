// UPSTREAM SESSION: cancellation, deadlines, idleness, and what the log hears of failures.
#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::upstream {
namespace {

constexpr std::string_view request_failed = "request failed";

}  // namespace

void session::cancel(const cancel_call& m) {
  // ROUTER has ended the call already; what is left is to tell the upstream.
  for (auto it = pending_.begin(); it != pending_.end(); ++it) {
    auto& p = it->second;
    if (!p.call() || p.call()->call != m.call) continue;
    const auto id = it->first;
    const bool known = in_session(p);
    pending_.erase(it);
    --working_;
    send(shared_->egress, abandon_fetch{id, caf::actor_cast<fetch_client>(this)});
    return known ? tell_cancelled(id, m.reason) : quit_when_done();
  }
  const auto meant = [&](const job& w) { return w->kind == task::call && w->call.call == m.call; };
  std::erase_if(backlog_, meant);
  charging_.erase_if(meant);
  quit_when_done();
}

/// The client is gone: ROUTER has ended its calls, and nobody waits for answers. But calls about
/// its tasks may be others', which came over this session because it minted them.
void session::cancel_all() {
  const auto end = [this](work& w) {
    if (w.kind == task::greet || w.kind == task::look || (w.kind == task::call && w.call.anywhere))
      fail(w, request_failed, false, verdict::neutral);
  };
  for (auto& w : std::exchange(backlog_, {})) end(*w);
  for (auto& w : charging_.take_all()) end(*w);
  std::vector<std::uint64_t> running;
  for (auto& [id, p] : pending_)
    if (p.kind == purpose::work) running.push_back(id);
  for (auto id : running) {
    auto node = pending_.extract(id);
    send(shared_->egress, abandon_fetch{id, caf::actor_cast<fetch_client>(this)});
    if (node.mapped().answered) continue;
    if (in_session(node.mapped())) tell_cancelled(id, R"("the client ended its session")");
    end(*node.mapped().job);
  }
  working_ = 0;
}

void session::tell_cancelled(std::uint64_t id, std::string_view raw_reason) {
  std::string params = R"({"requestId":)" + std::to_string(id);
  if (!raw_reason.empty()) params.append(R"(,"reason":)").append(raw_reason);
  params += '}';
  notice(jsonrpc::request({}, "notifications/cancelled", params));
}

void session::arm(time_point at) {
  if (at >= tick_at_) return;
  tick_at_ = at;
  send(parent_, wake_me{id(), at});
}

/// UPSTREAM keeps one timer for the earliest deadline; here all are looked at.
void session::on_tick(time_point at) {
  if (at != tick_at_) return;  // asked for an earlier one since
  tick_at_ = never;
  const auto t = now();
  auto next = never;
  std::vector<std::uint64_t> due, resumable, silent;
  for (auto& [id, p] : pending_) {
    if (p.silent_at <= t)
      silent.push_back(id);
    else
      next = std::min(next, p.silent_at);
    if (p.kind == purpose::stream) continue;
    if (p.deadline() <= t) {
      due.push_back(id);
      continue;
    }
    next = std::min(next, p.deadline());
    if (p.resume_at <= t)
      resumable.push_back(id);
    else
      next = std::min(next, p.resume_at);
  }
  for (auto id : due) overdue(id);
  for (auto id : resumable) resume(id);
  for (auto id : silent) on_silence(id);
  if (greeting_) {
    check_greeting();
    if (greeting_) next = std::min(next, greeting_->look_at());
  }
  next = std::min(next, overdue_waiting(t));
  if (again_at_ <= t) ask_for_room_again();
  next = std::min(next, again_at_);
  if (ends_idle() && !bound()) {
    const auto idle_at = last_used_ + limits::bridged_idle;
    if (idle_at <= t)
      tell_idle(*this);
    else
      next = std::min(next, idle_at);
  } else if (ends_idle()) {
    last_used_ = t;  // a running call is use
    next = std::min(next, t + limits::bridged_idle);
  }
  if (next != never) arm(next);
  quit_when_done();
}

/// Ends what has waited too long to be sent. Returns the next deadline of what goes on to wait.
session::time_point session::overdue_waiting(time_point t) {
  auto next = never;
  std::vector<job> rest;
  for (auto& w : std::exchange(backlog_, {})) {
    if (w->time.deadline > t) {
      next = std::min(next, w->time.deadline);
      rest.push_back(std::move(w));
      continue;
    }
    note_failure("did not finish the handshake within the request timeout",
                 "after " + std::to_string(shared_->config.request.count()) + " ms");
    // Else it waits for one of us, or for room.
    const bool asked = state_ == state::opening && pick_ == 0 && again_at_ == never;
    fail(*w, timed_out_words, true, asked ? blame(*w) : verdict::neutral);
  }
  backlog_ = std::move(rest);
  charging_.erase_if([&](const job& w) {
    if (w->time.deadline > t) {
      next = std::min(next, w->time.deadline);
      return false;
    }
    fail(*w, timed_out_words, false, verdict::neutral);
    return true;
  });
  return next;
}

void session::overdue(std::uint64_t id) {
  auto node = pending_.extract(id);
  if (node.empty()) return;  // another's end took it along
  auto& p = node.mapped();
  send(shared_->egress, abandon_fetch{id, caf::actor_cast<fetch_client>(this)});
  switch (p.kind) {
    case purpose::work:
      --working_;
      if (p.answered) return;  // all that mattered came long ago
      if (in_session(p)) tell_cancelled(id, R"("request timed out")");
      note_failure("did not answer within its request timeout",
                   std::string(p.job->kind == task::call   ? p.job->call.method
                               : p.job->kind == task::list ? mcp::method_of(p.job->list.kind)
                                                           : "ping") +
                       ", after " +
                       std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          now() - p.job->began)
                                          .count()) +
                       " ms");
      return fail(*p.job, timed_out_words, false, verdict::failure);
    case purpose::initialize:
    case purpose::initialized:
      return handshake_late();
    case purpose::discard:
      --discarding_;
      return;
    case purpose::goodbye:
      return quit();
    default:
      return;
  }
}

void session::note_failure(std::string_view what, std::string_view detail) {
  if (check_) {  // whoever wanted it decides what is to be logged
    if (!quotes_credential(detail)) check_detail_ = detail;
    return;
  }
  if (shared_->failing) return;
  shared_->failing = true;
  const auto sentence =
      "An upstream " + std::string(what) + "; further failures are not logged until it recovers.";
  const log::field who{"upstream", shared_->config.id};
  const log::field where{"url", shared_->to[endpoint_]->url.place()};
  if (detail.empty()) return log::warn(sentence, {who, where});
  log::warn(sentence, {who,
                       where,
                       {"detail", quotes_credential(detail) ? "(it quotes the credential)"
                                                            : std::string(detail)}});
}

void session::note_success() {
  if (!shared_->failing) return;
  shared_->failing = false;
  log::info("An upstream answers again.", {{"upstream", shared_->config.id}});
}

}  // namespace gate::upstream
