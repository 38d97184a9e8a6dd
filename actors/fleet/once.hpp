#pragma once
/// STORE of a single process: what a shared store would keep for a fleet, kept in memory. Spawned
/// and supervised by GATEWAY. If it crashes, what was used once is forgotten.
#include <caf/typed_event_based_actor.hpp>

#include "actors/cast.hpp"
#include "actors/fleet/once_ledger.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

class memory_store final : public pinned<store_actor::base> {
 public:
  memory_store(caf::actor_config& cfg, caf::execution_unit* unit) : pinned(cfg, unit) {}
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::store); }

 private:
  once_ledger once_;
};

}  // namespace gate::fleet
