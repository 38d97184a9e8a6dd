// WORK DESK: work on its way to the upstream. How it ends is in work_desk_ends.cpp.
#include "actors/upstream/work_desk.hpp"

#include "actors/guards/refusals.hpp"
#include "actors/upstream/spoken.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

void work_desk::take(job w) {
  place_.taken();
  place_.used();
  const auto& config = s_.of.config;
  w->began = s_.last_used;
  const bool call = w->kind == task::call;
  w->time.begin(w->began, call ? longest(w->call, config.request) : config.request,
                call ? config.max_request : config.request);
  if (s_.closing || s_.table.queued() >= limits::session_backlog)
    return fail(*w, no_answer::request_failed, false, verdict::neutral);
  s_.wake.set(w->time.deadline);
  wait_or_send(std::move(w));
}

void work_desk::wait_or_send(job w) {
  const bool allowed = s_.credential.good(s_.last_used);
  if (allowed && by_.takes_work()) return send(std::move(w));
  if (!allowed && w->guarded() && !w->credential && s_.credential.fetched())
    w->credential = std::make_shared<credential_wait>(credential_wait{s_.last_used, {}});
  s_.table.wait(std::move(w));
  by_.open();
}

void work_desk::send_waiting() {
  for (auto& w : s_.table.take_waiting()) send(std::move(w));
}

void work_desk::send(job w) {
  // It declared none: an empty list, without asking.
  if (w->kind == task::list && !by_.offers(w->list.kind)) {
    const auto none = mcp::empty_list(mcp::shape(w->list.kind));
    return finish_list(std::move(w), none);
  }
  if (const auto own = by_.own_answer(*w)) return answer_with(*w, *own);
  if (auto no = by_.own_refusal(*w)) {
    answer_nothing(*w, {}, std::move(no));
    judge(*w, verdict::neutral);
    return by_.settle();
  }
  if (w->costs() && !w->paid) return charge(std::move(w));
  if (w->kind == task::greet) return by_.introduce(true, false);
  if (w->kind == task::check) return by_.check_over({});
  const auto id = by_.carry(*w);
  if (w->counted()) ++w->upstream_calls;
  w->paid = false;  // spent: another attempt costs another unit
  w->payment.spend(true);
  s_.table.add(id, purpose::work, by_.epoch()).job = std::move(w);
}

void work_desk::answer_with(work& w, std::string_view end, verdict how) {
  auto text = std::make_shared<const std::string>(R"({"jsonrpc":"2.0","id":0,)" + std::string(end));
  const auto m = read_message(*text);
  // (What is told of a task holds what the upstream said a level deeper.)
  if (!m) return fail(w, no_answer::request_failed, false, verdict::neutral), by_.settle();
  answer_call(w, *m, text);
  judge(w, how);
  by_.settle();
}

void work_desk::again(job w) {
  s_.last_used = s_.now();
  w->began = s_.last_used;
  w->retried = false;
  w->renews = work::renewal::none;
  w->refusal = nullptr;
  w->renewal = nullptr;
  w->cursor.clear();
  w->pages = w->bytes = 0;
  wait_or_send(std::move(w));
}

/// The request was surely not processed: once more, over a new session if the old one is lost.
bool work_desk::retry(job& w) {
  if (w->retried || s_.closing) return false;
  w->retried = true;
  s_.last_used = s_.now();
  wait_or_send(std::move(w));
  return true;
}

// --- BUDGET --------------------------------------------------------------------------------------

/// It is about to be sent. With the answer it goes on, or ends; until then it waits here.
void work_desk::charge(job w) {
  auto& line = s_.table.charging();
  if (const auto ahead = std::exchange(w->prepaid(), nullptr)) {
    auto said = ahead->take();
    said.number = line.add(std::move(w));
    return on(said);
  }
  if (s_.guards.charge(line.next(), w->costs())) {
    line.add(std::move(w));
    return;
  }
  w->paid = true;
  send(std::move(w));
}

void work_desk::on(const charged& m) {
  // Given back at once if nobody waits for it any more: cancelled, too late, or sent without it.
  payment paid;
  if (m.yes) paid = {s_.purse, m};
  auto waiting = s_.table.charging().take(m.number);
  if (!waiting) return;
  auto& w = *waiting;
  if (m.yes) {
    w->paid = true;
    w->payment = std::move(paid);
    // The credential may have ended meanwhile.
    if (s_.credential.ends()) s_.last_used = s_.now();
    return wait_or_send(std::move(w));
  }
  answer_nothing(*w, {}, std::make_shared<const refusal>(guards::budget_exhausted(m)));
  judge(*w, verdict::neutral);
  by_.settle();
}

/// BUDGET crashed: what it was asked for goes on as if it had said yes.
void work_desk::charge_nobody() {
  ++s_.purse.budgets;
  s_.last_used = s_.now();
  for (auto& w : s_.table.charging().take_all()) {
    w->paid = true;
    wait_or_send(std::move(w));
  }
}

// --- BREAKER -------------------------------------------------------------------------------------

/// Tells the end of this work.
void work_desk::judge(work& w, verdict how) {
  if (!w.guarded()) return;
  if (auto lease = std::move(w.lease())) return lease->end(how);
  auto& circuit = s_.others.circuit;
  if (how == verdict::neutral || (how == verdict::success && circuit.clean)) return;
  if (s_.guards.ended(how) && how == verdict::failure) circuit.clean = false;
}

void work_desk::works(work& w) {
  if (w.guarded() && w.lease()) judge(w, verdict::success);
}

void work_desk::reached() {
  if (s_.others.circuit.state == breaker_state::open) s_.guards.reached();
}

/// What a failed handshake says about this work, which waited for it.
verdict work_desk::blame(work& w) {
  if (!w.guarded()) return verdict::neutral;
  const bool first = !std::exchange(handshake_blamed_, true);
  return first || w.lease() ? verdict::failure : verdict::neutral;
}

}  // namespace gate::upstream
