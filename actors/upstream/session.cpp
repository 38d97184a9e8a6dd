#include "actors/upstream/session.hpp"

#include <algorithm>

namespace gate::upstream {

session::session(const facts& of, role who, std::uint64_t number, session_doors& doors,
                 session_guards& guards, peers& others)
    : state_(of, std::move(who), number, doors, guards, others),
      carrier_(state_, rules_),
      place_(state_, carrier_),
      rules_{desk_,   place_,  way_,   carrier_, out_,   life_,  streams_,
             server_, client_, plain_, input_,   watch_, tasks_, hearings_},
      desk_(state_, place_, carrier_),
      way_(state_, rules_),
      out_(state_),
      plain_(state_, out_),
      input_(state_, rules_),
      watch_(state_, rules_),
      tasks_(state_, rules_),
      hearings_(state_, rules_),
      life_(state_, rules_),
      streams_(state_, rules_),
      server_(state_, rules_),
      client_(state_, rules_),
      arrivals_(state_, rules_) {}

void session::begin() {
  place_.enter();
  if (state_.who.check) desk_.take(std::make_unique<work>(task::check));
}

// --- what is wanted of it ------------------------------------------------------------------------

void session::on(invoke& m) {
  client_.meet(m.profile, m.caller);
  auto w = std::make_unique<work>(task::call);
  w->call = std::move(m);
  desk_.take(std::move(w));
}

void session::on(const fetch_list& m) {
  client_.meet(m.profile, m.caller);
  auto w = std::make_unique<work>(task::list);
  w->list = m;
  if (!m.kept) return desk_.take(std::move(w));
  // It is opened all the same: changes are heard by it.
  desk_.take(std::make_unique<work>(task::greet));
  desk_.finish_list(std::move(w), {});
}

void session::on(const introduce& m) {
  client_.meet(m.profile, m.caller);
  desk_.take(std::make_unique<work>(m.missed ? task::look : task::greet));
}

void session::on(probe& m) {
  auto w = std::make_unique<work>(task::ping);
  w->round = m.round;
  w->asker = std::move(m.asker);
  desk_.take(std::move(w));
}

void session::on(const close_session& m) {
  state_.closing = true;
  state_.quietly = m.quietly;
  // Nobody hears of changes any more for clients that go on, and have seen lists by it.
  if (m.finish_first && state_.of.config.per_client) server_.suspect_lists();
  if (!m.finish_first) desk_.cancel_all();
  life_.settle();
}

/// UPSTREAM keeps one timer for the earliest deadline; here all are looked at.
void session::on(const session_tick& m) {
  if (!state_.wake.rings(m.at)) return;
  const auto t = state_.now();
  const auto due = state_.table.look(t);
  auto next = due.next;
  for (const auto id : due.late) arrivals_.late(id);
  for (const auto id : due.resumable) arrivals_.resume(id);
  for (const auto id : due.silent) streams_.silent(id);
  // Before those that wait are sent: what is late by now would be looked at never again.
  next = std::min(next,
                  desk_.end_late_waiting(t, way_.waits_for_us() ? work_desk::waits_for::us
                                                                : work_desk::waits_for::handshake));
  if (state_.greets) {
    life_.check_greeting();
    if (state_.greets) next = std::min(next, state_.greets->look_at());
  }
  if (place_.again_at() <= t) way_.ask_for_room_again();
  next = std::min({next, place_.again_at(), place_.look(t), tasks_.look(t), client_.look(t)});
  if (next != session_state::never) state_.wake.set(next);
  life_.settle();
}

}  // namespace gate::upstream
