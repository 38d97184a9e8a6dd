#include "actors/upstream/approach.hpp"

#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/work_desk.hpp"

namespace gate::upstream {

using phase = session_state::phase;

namespace {

/// Whoever waits for a credential waits for it no more: `there` is one, or none.
void end_wait_for_credential(session_state& s, bool there) {
  for (const auto& w : s.table.waiting())
    if (w->credential && w->credential->until == work::time_point{}) {
      w->credential->until = s.now();
      w->credential->told = there;
    }
}

}  // namespace

void approach::open() {
  if (!s_.has_credential()) return provide_credential();
  connect();
}

// --- credentials ---------------------------------------------------------------------------------

void approach::provide_credential() {
  const auto& auth = s_.of.config.auth;
  const auto from = config::row(auth.strategy).from;
  if (from == config::credential_source::environment) {
    const auto secret = s_.doors.secret(*auth.secret_ref);
    const auto line = secret ? fixed_credential(auth, *secret) : std::nullopt;
    if (line) return take_credential(*line, session_state::never);
    s_.log.failed("can not be asked: its credential is missing",
                  "the environment variable " + *auth.secret_ref +
                      (secret ? " holds something that does not fit into a header" : " is not set"),
                  r_.life.awaited_trace());
    return without_credential();
  }
  if (from == config::credential_source::caller) {  // and nobody has come with a token
    s_.log.failed("can not be asked: no caller has shown a token", {}, r_.life.awaited_trace());
    return without_credential();
  }
  if (s_.credential.asked()) return;
  const bool somebody = s_.guards.want_credential(s_.credential.caller(), r_.life.awaited_trace());
  s_.credential.ask(somebody);
  if (!somebody) without_credential();
}

void approach::on(credential_told m) {
  s_.credential.ask(false);
  if (m.ok)
    take_credential(std::move(m.line), m.until);
  else
    without_credential();
}

void approach::credentials_replaced() {
  if (s_.credential.answered()) provide_credential();
}

void approach::take_credential(std::string line, session_state::time_point until) {
  s_.credential.ask(false);
  end_wait_for_credential(s_, true);
  s_.credential.take(std::move(line), until);
  s_.make_headers();
  if (s_.now_is == phase::closed) {
    if (!s_.table.waiting().empty() || s_.client.listens() || !s_.client.subscriptions().empty())
      connect();
  } else if (s_.now_is == phase::ready) {
    r_.life.check_greeting();
    r_.streams.begin_if_due();
    r_.client.say_held();
  }
  r_.life.settle();
}

void approach::without_credential() {
  s_.credential.ask(false);
  end_wait_for_credential(s_, false);
  r_.desk.fail_waiting(no_answer::credential_unavailable, true, verdict::neutral);
  s_.endpoint.settle();
  r_.desk.forgive_handshake();
  // In one that is open each word that is under way is answered for itself.
  if (s_.now_is == phase::ready)
    r_.client.without_credential();
  else
    r_.client.could_not_open();
  r_.streams.could_not_open();
  r_.life.settle();
}

bool approach::renew_credential(int status, std::uint32_t shown) {
  const auto what = s_.credential.shown(status, shown);
  if (what == credential_slot::verdict::spent)
    s_.guards.refused({s_.credential.caller_key(), s_.credential.line()});
  return what != credential_slot::verdict::as_it_was;
}

// --- endpoints -----------------------------------------------------------------------------------

/// Begins the handshake, with an endpoint that has not been tried for it.
void approach::connect() {
  if (r_.life.take_up()) return;
  s_.now_is = phase::opening;
  if (s_.who.check) {
    s_.endpoint.be_with(s_.who.check->endpoint);
    return r_.life.begin_handshake();
  }
  if (!s_.guards.pick(s_.endpoint.ask(), s_.endpoint.tried())) balancer_replaced();
}

void approach::on(const endpoint_picked& m) {
  if (s_.endpoint.picked(m.number, m.endpoint)) picked();
}

void approach::balancer_replaced() {
  if (s_.endpoint.pick_alone()) picked();
}

void approach::picked() {
  if (!s_.closing || !s_.table.waiting().empty()) return r_.life.begin_handshake();
  s_.now_is = phase::closed;  // nobody needs it any more
  s_.endpoint.settle();
  r_.desk.forgive_handshake();
  r_.life.settle();
}

bool approach::try_elsewhere(bool full) {
  if (s_.who.check) return false;
  const auto here = s_.endpoint.current();
  if (full)
    r_.place.full(here);
  else
    s_.guards.failed(here);
  if (!s_.endpoint.fail()) return false;
  r_.life.discard();
  connect();
  return true;
}

bool approach::endpoint_lost(const pending& p, fetch_end how) {
  if (!is_unreachable(how)) return false;
  const bool several = s_.endpoint.several();
  if (p.epoch != s_.talk.epoch() || s_.now_is != phase::ready) return several;
  s_.guards.failed(s_.endpoint.current());
  if (several) r_.life.lose();
  return several;
}

// --- room ----------------------------------------------------------------------------------------

/// There a place can be made.
void approach::no_room() {
  if (const auto& full = r_.place.full()) s_.endpoint.be_with(*full);
  if (r_.place.make_room()) return;
  r_.life.open_failed(no_answer::busy, "it has no room for another session: HTTP 503", true,
                      verdict::neutral, "HTTP 503 for initialize: no room for another session");
}

void approach::ask_for_room_again() {
  r_.place.again();
  if (!s_.table.waiting().empty() || (s_.client.listens() && !s_.closing))
    return r_.life.begin_handshake();
  // Whoever waited for it has gone.
  s_.now_is = phase::closed;
  r_.place.settle();
  s_.endpoint.settle();
}

bool approach::waits_for_us() const {
  return s_.now_is != phase::opening || s_.endpoint.asks() ||
         r_.place.again_at() != session_state::never;
}

}  // namespace gate::upstream
