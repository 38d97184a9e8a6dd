// UPSTREAM SESSION: what BUDGET and BREAKER have to do with a piece of work.
//
//   it ended with                                             BREAKER hears, of leased work and
//   an answer: a result, a JSON-RPC error                     success    unless all is clean
//   not yet, but with a question to the client                success    of leased work
//   no connection, no answer in time, something that is none  failure    always
//   cancellation, no budget, no (good) credential, no room    neutral    never
//   here, the end of its session; a 503 with Retry-After,
//   of a server that is busy but well
//
// A handshake that fails is one failure, however many calls waited for it; one that nobody's call
// waited for is none. What is leased tells its own end all the same. A handshake that succeeds, and
// a ping, are signs of life: an open circuit need not wait out its time then.
#include "actors/guards/refusals.hpp"
#include "actors/upstream/session.hpp"

namespace gate::upstream {

// --- BUDGET --------------------------------------------------------------------------------------

/// It is about to be sent. With the answer it goes on, or ends; until then it waits here.
void session::charge(job w) {
  const auto& budget = shared_->guards.budget;
  if (!budget) {
    w->paid = true;
    return send_work(std::move(w));
  }
  send(budget, gate::charge{charging_.next(), w->costs(), caf::actor_cast<budget_user>(this)});
  charging_.add(std::move(w));
}

void session::on_charged(const charged& m) {
  // Given back at once if nobody waits for it any more: cancelled, too late, or sent without it.
  upstream::payment paid;
  if (m.yes) paid = {shared_->guards.budget, m};
  auto waiting = charging_.take(m.number);
  if (!waiting) return;
  auto& w = *waiting;
  if (m.yes) {
    w->paid = true;
    w->payment = std::move(paid);
    // The credential may have ended meanwhile.
    if (credential_until_ != never) last_used_ = now();
    return wait_or_send(std::move(w));
  }
  answer_nothing(*w, {}, std::make_shared<const refusal>(guards::budget_exhausted(m)));
  judge(*w, verdict::neutral);
  quit_when_done();
}

/// BUDGET crashed: what it was asked for goes on as if it had said yes.
void session::charge_nobody() {
  last_used_ = now();
  for (auto& w : charging_.take_all()) {
    w->paid = true;
    wait_or_send(std::move(w));
  }
}

// --- BREAKER -------------------------------------------------------------------------------------

/// Tells the end of this work.
void session::judge(work& w, verdict how) {
  if (!w.guarded()) return;
  if (auto lease = std::move(w.lease())) return lease->end(how);
  auto& circuit = shared_->circuit;
  if (how == verdict::neutral || (how == verdict::success && circuit.clean)) return;
  if (!shared_->guards.breaker) return;
  if (how == verdict::failure) circuit.clean = false;
  send(shared_->guards.breaker, request_ended{how, 0});
}

/// The upstream asks something within this work: it works. A client may take any time to answer,
/// and the circuit does not stay half open for that; how the work ends is told as any other's.
void session::works(work& w) {
  if (w.guarded() && w.lease()) judge(w, verdict::success);
}

/// A handshake or a probe has succeeded.
void session::reached() {
  if (shared_->circuit.state != breaker_state::open || !shared_->guards.breaker) return;
  send(shared_->guards.breaker, upstream_reached{});
}

/// What a failed handshake says about this work, which waited for it.
verdict session::blame(work& w) {
  if (!w.guarded()) return verdict::neutral;
  const bool first = !std::exchange(handshake_blamed_, true);
  return first || w.lease() ? verdict::failure : verdict::neutral;
}

/// All that waits for the handshake fails with it.
void session::fail_waiting(std::string_view why, bool connect, verdict how) {
  for (auto& w : std::exchange(backlog_, {}))
    fail(*w, why, connect, how == verdict::failure ? blame(*w) : how);
}

}  // namespace gate::upstream
