#pragma once
/// A whole gateway on a stage of its own, and what it says in its log.
#include "simulations/world/heard_log.hpp"
#include "simulations/world/instance.hpp"

namespace gate::sim {

class world : public actor_stage, public heard_log, public instance {
 public:
  explicit world(world_options o = {})
      : instance(*this, std::make_shared<fake_network>(), std::move(o)) {}
  ~world() override { clear_stage(); }

  /// Kills UPSTREAM number `index` of the first unit, as long as nothing was restarted before.
  void crash_upstream(std::size_t index) { crash(cast("upstream").at(index)); }

 protected:
  bool when_quiet() override { return tell_drained(); }
};

}  // namespace gate::sim
