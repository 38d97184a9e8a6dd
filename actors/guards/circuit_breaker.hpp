#pragma once
/// BREAKER: the circuit breaker of one upstream (the transition table: breaker.hpp). One per
/// process and upstream, on whichever unit tells it something. Spawned and supervised by GATEWAY;
/// told by UPSTREAM SESSIONs how requests ended, asked by UPSTREAMs for the lease of a probe, and
/// listened to by UPSTREAMs and HEALTH. If it crashes, the next one begins closed.
#include <caf/typed_event_based_actor.hpp>
#include <string>
#include <vector>

#include "actors/guards/breaker.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::guards {

/// To itself: look at the clock (the latest one only).
struct breaker_tick {
  std::uint64_t number = 0;
};
using circuit_breaker_base = breaker_actor::extend<caf::reacts_to<breaker_tick>>;

struct breaker_parts {
  std::size_t index = 0;  ///< of the upstream
  std::string id;         ///< of the upstream, for the log
  config::circuit_breaker settings;
  /// How long a probe may take that does not say that it may last longer: `requestMs`.
  std::chrono::milliseconds request{0};
  metrics::value state;  ///< gate_upstream_breaker_state
};

class circuit_breaker final : public circuit_breaker_base::base {
 public:
  circuit_breaker(caf::actor_config& cfg, breaker_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::breaker); }

 private:
  /// Whatever was asked of the breaker: tells what changed, and sets the clock for what comes.
  void settle();
  void log_change(breaker_state before) const;
  breaker_told what_is_known() const;
  void listen(breaker_listener who);

  breaker_parts parts_;
  breaker it_;
  breaker_told told_;
  std::vector<breaker_listener> listeners_;
  std::optional<breaker::time_point> armed_;
  std::uint64_t tick_ = 0;
};

}  // namespace gate::guards

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::guards::breaker_tick)
