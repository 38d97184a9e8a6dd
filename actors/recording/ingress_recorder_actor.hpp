#pragma once
/// RECORDER in front of an INGRESS: an INGRESS to those behind it, a ROUTER to the one in front.
/// Spawned by whoever assembles the process, if there is a recording, on the unit of its INGRESS.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>

#include "actors/recording/recorded_exchange.hpp"
#include "transport/pinned.hpp"

namespace gate::recording {

using ingress_recorder_handle =
    ingress_handle::extend<caf::reacts_to<arrival>, caf::reacts_to<body_read>,
                           caf::reacts_to<client_gone>>;

class ingress_recorder_actor final : public pinned<ingress_recorder_handle::base> {
 public:
  ingress_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit, ingress_handle of,
                         journal_ptr where);
  behavior_type make_behavior() override;
  using pinned::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) override;
  void on_exit() override;
  const char* name() const override { return "ingress recorder"; }

 private:
  /// It is recorded from here on; false: nobody serves, and that is its answer.
  bool arrived(exchange_ptr& e);

  ingress_handle of_;
  journal_ptr where_;
  arrivals_handle router_;  ///< null while it restarts
  /// Those whose body is yet to come.
  std::unordered_map<std::uint64_t, std::weak_ptr<exchange>> without_body_;
};

}  // namespace gate::recording
