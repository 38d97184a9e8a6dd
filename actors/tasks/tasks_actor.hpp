#pragma once
/// TASKS: the task ledger of the whole process, so that a task is the caller's on every unit.
/// Spawned and supervised by GATEWAY; asked by ROUTERs. When it is restarted its records are gone:
/// tasks are then found by asking the upstreams; calls that may mint one are told of again.
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "actors/tasks/claims.hpp"
#include "actors/tasks/ledger.hpp"
#include "actors/tasks/mintings.hpp"
#include "transport/pinned.hpp"

namespace gate::tasks {

class tasks_actor final : public pinned<tasks_handle::base> {
 public:
  tasks_actor(caf::actor_config& cfg, caf::execution_unit* unit) : pinned(cfg, unit) {}

  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::tasks); }

 private:
  ledger ledger_;
  claims claims_;
  mintings mintings_;
};

}  // namespace gate::tasks
