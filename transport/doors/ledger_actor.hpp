#pragma once
/// LEDGER. Owns the house (transport/ledger/house.hpp) and hands requests to it; answers go from a
/// thread of the house's to whoever asked. When it ends, it waits until what was accepted is
/// answered.
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "transport/ledger/house.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::doors {

class ledger_actor final : public ledger_handle::base {
 public:
  ledger_actor(caf::actor_config& cfg, std::unique_ptr<ledger::house> on);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "ledger"; }

 private:
  std::unique_ptr<ledger::house> house_;
};

}  // namespace gate::doors
