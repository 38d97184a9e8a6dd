// UPSTREAM SESSION: which replica it is with. BALANCER picks one for each attempt to connect, and
// hears which could not be reached; a session stays with its endpoint as long as it lives.
//
//   no connection              while opening                    once ready
//   there are other endpoints  the next one, at most            lost; what was not sent goes over
//                              `connect_candidates` in all      the next session
//   there is one               as any failed handshake          the request fails
//
// While opening, an endpoint is as good as not reached if it breaks off, says by a 5xx that it does
// not work, or has not answered within the request timeout. Any other answer is one: 4xx, a
// JSON-RPC error. What waits for the session keeps its own deadline, however many are tried.
//
// Also the check of one endpoint for BALANCER: a session that opens, says goodbye and ends, without
// a word to anybody else.
#include <algorithm>

#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

bool is_unreachable(fetch_end e) {
  return e == fetch_end::connect_failed || e == fetch_end::connect_timeout;
}

}  // namespace

/// Begins the handshake, with an endpoint that has not been tried for it.
void session::connect() {
  state_ = state::opening;
  if (check_) {
    endpoint_ = check_->endpoint;
    return begin_handshake();
  }
  pick_ = next_question_++;
  const auto& balancer = shared_->guards.balancer;
  if (!balancer) return pick_alone();
  send(balancer, pick_endpoint{pick_, tried_, caf::actor_cast<endpoint_user>(this)});
}

void session::on_picked(const endpoint_picked& m) {
  if (pick_ == 0 || m.number != pick_) return;
  pick_ = 0;
  endpoint_ = m.endpoint < shared_->to.size() ? m.endpoint : 0;
  if (!closing_ || !backlog_.empty()) return begin_handshake();
  state_ = state::closed;  // nobody needs it any more
  tried_.clear();
  handshake_blamed_ = false;
  quit_when_done();
}

/// Nobody picks: the first one that has not been tried.
void session::pick_alone() {
  if (pick_ == 0) return;
  std::size_t first = 0;
  while (std::ranges::find(tried_, first) != tried_.end()) ++first;
  on_picked({pick_, first});
}

/// A request of the handshake has ended: does the endpoint not work?
bool session::endpoint_fails(const fetched& f) {
  return is_unreachable(f.end) || f.end == fetch_end::broken ||
         (f.end == fetch_end::complete && f.status >= 500);
}

/// The endpoint has failed the handshake. True: it is tried with another one. `full`: it works, but
/// has no room for another session.
bool session::try_elsewhere(bool full) {
  if (check_) return false;
  if (full)
    room_.full = room_.full.value_or(endpoint_);
  else if (const auto& b = shared_->guards.balancer)
    send(b, endpoint_failed{endpoint_});
  tried_.push_back(endpoint_);
  if (tried_.size() >= std::min(shared_->to.size(), limits::connect_candidates)) return false;
  discard_session();
  connect();
  return true;
}

/// The endpoint has not answered the handshake in time.
void session::handshake_late() {
  overdue_waiting(now());  // who has waited as long gets no more time elsewhere
  if (try_elsewhere(false))
    handshake_blamed_ = false;  // who fails by the next one's silence is another failure
  else if (room_.full)
    no_room();
  else
    open_failed(timed_out_words, "the handshake did not end within the request timeout", true);
}

/// A fetch of this session could not connect. True: that was the end of the session, or it had
/// ended already, and there are other endpoints.
bool session::endpoint_lost(const pending& p, fetch_end how) {
  if (!is_unreachable(how)) return false;
  const bool several = shared_->to.size() > 1;
  if (p.epoch != epoch_ || state_ != state::ready) return several;
  if (const auto& b = shared_->guards.balancer) send(b, endpoint_failed{endpoint_});
  if (several) lose();
  return several;
}

/// The check is over; empty: it went well.
void session::check_over(std::string_view why) {
  endpoint_probed m{check_->round, check_->endpoint, why.empty(), std::string(why)};
  if (!why.empty() && !check_detail_.empty()) m.error += ": " + check_detail_;
  send(check_->asker, std::move(m));
  closing_ = true;  // whoever called this looks whether all is done
}

}  // namespace gate::upstream
