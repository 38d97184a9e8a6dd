#pragma once
/// EGRESS over real sockets. Spawned by the runtime, one per unit.
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "transport/http/client.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::doors {

class egress_actor final : public pinned<egress_handle::base> {
 public:
  egress_actor(caf::actor_config& cfg, scheduler::io_unit* unit);
  behavior_type make_behavior() override;
  void on_exit() override { client_.reset(); }
  const char* name() const override { return "egress"; }

 private:
  std::unique_ptr<http::client> client_;
};

}  // namespace gate::doors
