#include "actors/guards/circuit_breaker_actor.hpp"

#include <utility>

namespace gate::guards {

circuit_breaker_actor::circuit_breaker_actor(caf::actor_config& cfg, breaker_parts parts)
    : circuit_breaker_base::base(cfg),
      news_(std::move(parts)),
      // The clock's nanoseconds: no lease of a breaker that crashed before this one is repeated.
      it_(news_.parts().settings, news_.parts().request,
          static_cast<std::uint64_t>(clock().now().time_since_epoch().count())) {
  set_down_handler([this](const caf::down_msg& m) { news_.forget(m.source); });
}

circuit_breaker_actor::behavior_type circuit_breaker_actor::make_behavior() {
  return {
      [this](const request_ended& m) {
        it_.ended(m.how, m.lease, clock().now());
        settle();
      },
      [this](upstream_reached) {
        it_.reached(clock().now());
        settle();
      },
      [this](const want_lease& m) {
        const auto lease = it_.lease(clock().now(), m.longest);
        settle();
        send(m.asker, lease_told{m.number, lease});
      },
      [this](listen_to_breaker& m) { listen(std::move(m.who)); },
      [this](breaker_tick m) {
        if (m.number != tick_) return;
        armed_.reset();
        it_.pass(clock().now());
        settle();
      },
  };
}

/// Whoever is observed keeps a note of it; HEALTH outlives all upstreams.
void circuit_breaker_actor::on_exit() {
  for (const auto& who : news_.end()) demonitor(who.address());
}

void circuit_breaker_actor::listen(breaker_listener who) {
  if (!who) return;
  send(who, news_.told());
  if (news_.listen(who)) monitor(who);
}

void circuit_breaker_actor::settle() {
  if (news_.turn(it_.state(), it_.clean(), it_.why(), it_.failures()))
    for (const auto& who : news_.listeners()) send(who, news_.told());
  if (it_.next() == armed_) return;
  armed_ = it_.next();
  ++tick_;
  if (armed_) delayed_send(this, *armed_ - clock().now(), breaker_tick{tick_});
}

}  // namespace gate::guards
