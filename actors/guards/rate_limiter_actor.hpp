#pragma once
/// RATE LIMITER: requests per minute of everybody, of tenants and principals. One per process, on
/// whichever unit asks. Spawned and supervised by GATEWAY; asked by ROUTERs (stage 3). (Those of
/// upstreams BUDGET counts.) If it crashes, the minutes at hand are forgotten.
#include <caf/typed_event_based_actor.hpp>

#include "actors/guards/rate_table.hpp"
#include "actors/interfaces.hpp"

namespace gate::guards {

/// What this table says to the question, which names scopes. That it has become full is logged.
admitted admitted_by(rate_table& table, const admit& question, rate_table::time_point now);

class rate_limiter_actor final : public rate_limiter_handle::base {
 public:
  explicit rate_limiter_actor(caf::actor_config& cfg,
                              std::size_t most_principals = limits::rate_windows)
      : rate_limiter_handle::base(cfg), table_(most_principals) {}
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::limiter); }

 private:
  rate_table table_;
};

}  // namespace gate::guards
