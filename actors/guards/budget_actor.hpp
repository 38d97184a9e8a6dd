#pragma once
/// BUDGET: all that stage 6 counts. Requests per minute of upstreams, asked by UPSTREAMs; upstream
/// invocations per calendar period (UTC) of the server, of tenants and upstreams, asked by UPSTREAM
/// SESSIONs, just before they send one. One per process, on whichever unit asks. Spawned and
/// supervised by GATEWAY. If it crashes, what was used is forgotten.
#include <caf/typed_event_based_actor.hpp>

#include "actors/guards/budget_table.hpp"
#include "actors/guards/rate_table.hpp"
#include "actors/interfaces.hpp"
#include "transport/clock.hpp"

namespace gate::guards {

/// What operators should know of a table of this size that has answered so.
void report(const budget_table::answer& a, std::size_t size);

class budget_actor final : public budget_handle::base {
 public:
  budget_actor(caf::actor_config& cfg, wall_clock wall, std::size_t most = limits::budget_records)
      : budget_handle::base(cfg), wall_(std::move(wall)), table_(most) {}
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::budget); }

 private:
  wall_clock wall_;
  budget_table table_;
  rate_table windows_{limits::upstreams};
};

}  // namespace gate::guards
