#pragma once
/// BREAKER: the circuit breaker of one upstream (the transition table: breaker.hpp). One per
/// process and upstream, on whichever unit tells it something. Spawned and supervised by GATEWAY;
/// told by UPSTREAM SESSIONs how requests ended, asked by UPSTREAMs for the lease of a probe, and
/// listened to by UPSTREAMs and HEALTH. If it crashes, the next one begins closed.
#include <caf/typed_event_based_actor.hpp>

#include "actors/guards/breaker_news.hpp"
#include "actors/interfaces.hpp"

namespace gate::guards {

/// To itself: look at the clock (the latest one only).
struct breaker_tick {
  std::uint64_t number = 0;
};
using circuit_breaker_base = breaker_handle::extend<caf::reacts_to<breaker_tick>>;

class circuit_breaker_actor final : public circuit_breaker_base::base {
 public:
  circuit_breaker_actor(caf::actor_config& cfg, breaker_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::breaker); }

 private:
  /// Whatever was asked of the breaker: tells what changed, and sets the clock for what comes.
  void settle();
  void listen(breaker_listener who);

  breaker_news news_;
  breaker it_;
  std::optional<breaker::time_point> armed_;
  std::uint64_t tick_ = 0;
};

}  // namespace gate::guards

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::guards::breaker_tick)
