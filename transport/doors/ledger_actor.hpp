#pragma once
/// LEDGER over a SQLite file. Owns the thread that writes to it (transport/ledger/writer.hpp) and
/// hands requests to it; answers go from that thread to whoever asked. When it ends, it waits until
/// what was accepted is on the disk.
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "transport/ledger/writer.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::doors {

class ledger_actor final : public ledger_handle::base {
 public:
  ledger_actor(caf::actor_config& cfg, std::unique_ptr<ledger::writer> on);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "ledger"; }

 private:
  std::unique_ptr<ledger::writer> writer_;
};

}  // namespace gate::doors
