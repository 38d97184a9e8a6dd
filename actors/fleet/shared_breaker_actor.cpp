#include "actors/fleet/shared_breaker_actor.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

circuit_event event_of(verdict how) {
  switch (how) {
    case verdict::success:
      return circuit_event::success;
    case verdict::failure:
      return circuit_event::failure;
    case verdict::neutral:
      break;
  }
  return circuit_event::neutral;
}

}  // namespace

shared_breaker_actor::shared_breaker_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                           guards::breaker_parts parts, store_handle store,
                                           std::uint32_t database)
    : pinned(cfg, unit),
      news_(std::move(parts)),
      store_(std::move(store)),
      place_(place_of_circuit(news_.parts().id, database)) {
  set_down_handler([this](const caf::down_msg& m) { news_.forget(m.source); });
  be_alone();  // until the store is there
}

shared_breaker_actor::behavior_type shared_breaker_actor::make_behavior() {
  send(store_, listen_to_store{{place_.channel}, caf::actor_cast<store_listener>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) { on_turned(m.here); },
      [this](const store_heard& m) {
        if (const auto now = read_circuit(std::string_view(m.text))) adopt(*now);
      },
      [this](const request_ended& m) { on_ended(m); },
      [this](upstream_reached) {
        if (own_) {
          own_->reached(clock().now());
          return announce();
        }
        if (known_.state == breaker_state::open) ask({circuit_event::reached});
      },
      [this](const want_lease& m) { on_wanted(m); },
      [this](listen_to_breaker& m) { listen(std::move(m.who)); },
      [this](circuit_tick m) {
        if (m.number != tick_) return;
        armed_.reset();
        on_tick();
      },
  };
}

void shared_breaker_actor::on_exit() {
  for (const auto& who : news_.end()) demonitor(who.address());
  store_ = nullptr;
}

void shared_breaker_actor::listen(breaker_listener who) {
  if (!who) return;
  send(who, news_.told());
  if (news_.listen(who)) monitor(who);
}

/// All that was known may be old: it is asked for, and counts from the answer on.
void shared_breaker_actor::on_turned(bool here) {
  here_ = here;
  if (!here) return be_alone();
  known_.version = 0;
  ask({circuit_event::look});
}

void shared_breaker_actor::on_ended(const request_ended& m) {
  if (own_) {
    own_->ended(m.how, m.lease, clock().now());
    return announce();
  }
  const auto lease = m.lease == lease_told::not_leased ? 0 : m.lease;
  // It changes nothing, and everybody else's would have to be told as well.
  const bool counts = m.how == verdict::failure
                          ? lease != 0 || known_.state == breaker_state::closed
                          : lease != 0 || (m.how == verdict::success && !known_.clean() &&
                                           known_.state == breaker_state::closed);
  if (counts) ask({event_of(m.how), lease});
}

void shared_breaker_actor::on_wanted(const want_lease& m) {
  if (own_) {
    const auto lease = own_->lease(clock().now(), m.longest);
    announce();
    return send(m.asker, lease_told{m.number, lease});
  }
  if (known_.state == breaker_state::closed)
    return send(m.asker, lease_told{m.number, lease_told::not_leased});
  ask({.what = circuit_event::lease, .longest = m.longest}, m);
}

void shared_breaker_actor::ask(const circuit_question& q, std::optional<want_lease> who) {
  const auto id = next_++;
  const auto& p = news_.parts();
  auto what = ask_circuit(id, place_, q, p.settings, p.request);
  asked_.emplace(id, request{q, std::move(who)});
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void shared_breaker_actor::on_told(const store_told& m) {
  const auto node = asked_.extract(m.id);
  if (!node) return;
  const auto& a = node.mapped();
  const auto told = m.outcome == store_outcome::ok && m.reply ? read_circuit(m.reply->root())
                                                              : std::optional<circuit_told>{};
  if (!told) return decide(a);
  own_.reset();
  adopt(told->now);
  if (a.who) send(a.who->asker, lease_told{a.who->number, told->lease});
}

void shared_breaker_actor::adopt(const circuit& now) {
  if (now.version < known_.version) return;
  known_ = now;
  until_.reset();
  if (now.ends_in) until_ = clock().now() + *now.ends_in;
  announce();
}

void shared_breaker_actor::be_alone() {
  if (own_) return;
  const auto& p = news_.parts();
  const auto now = clock().now();
  own_.emplace(p.settings, p.request, static_cast<std::uint64_t>(now.time_since_epoch().count()));
  own_->take_over(known_.state, known_.failures, now);
  announce();
}

void shared_breaker_actor::decide(const request& a) {
  be_alone();
  if (a.who) return on_wanted(*a.who);
  if (a.question.what == circuit_event::failure) on_ended({verdict::failure, a.question.lease});
  if (a.question.what == circuit_event::success) on_ended({verdict::success, a.question.lease});
}

void shared_breaker_actor::on_tick() {
  if (own_) {
    own_->pass(clock().now());
    announce();
    // It is there, and has not answered: one day it will.
    if (here_) ask({circuit_event::look});
    return arm();
  }
  ask({circuit_event::look});
}

void shared_breaker_actor::announce() {
  const bool told = own_ ? news_.turn(own_->state(), own_->clean(), own_->why(), own_->failures())
                         : news_.turn(known_.state, known_.clean(), known_.why, known_.failures);
  if (told)
    for (const auto& who : news_.listeners()) send(who, news_.told());
  arm();
}

void shared_breaker_actor::arm() {
  auto at = own_ ? own_->next() : until_;
  if (own_ && here_) {
    const auto look = clock().now() + limits::store_circuit_look;
    at = at ? std::min(*at, look) : look;
  }
  if (at == armed_ || (armed_ && at && own_ && here_ && *armed_ <= *at)) return;
  armed_ = at;
  ++tick_;
  if (armed_)
    delayed_send(
        this, std::max<time_point::duration>(*armed_ - clock().now(), limits::store_circuit_pause),
        circuit_tick{tick_});
}

}  // namespace gate::fleet
