#pragma once
/// RECORDER beside a ROUTER: writes down its audit events; and before it, where its unit takes
/// another configuration over. What GATEWAY says of that passes here and INGRESS's RECORDER on its
/// way to ROUTER, on one unit: so it stands in the recording where it stands among the requests.
/// Spawned by whoever assembles the process, if there is a recording, on the unit of its ROUTER.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/recording/journal.hpp"
#include "transport/pinned.hpp"

namespace gate::recording {

/// Tell when all that was said before is written down.
struct catch_up {
  std::shared_ptr<std::promise<void>> done;
};

using router_recorder_handle =
    audit_recorder_handle::extend_with<threshold_handle>::extend<caf::reacts_to<catch_up>>;

class router_recorder_actor final : public pinned<router_recorder_handle::base> {
 public:
  router_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit, journal_ptr where)
      : pinned(cfg, unit), where_(std::move(where)) {}
  behavior_type make_behavior() override;
  using pinned::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) override;
  void on_exit() override { taken_over_ = nullptr; }
  const char* name() const override { return "router recorder"; }

 private:
  void pass(const router_handle& to, federation_update& m);

  journal_ptr where_;
  snapshot_ptr taken_over_;  ///< null: none so far
};

/// Asks all of them at once to catch up, and waits for them until then. (What has ended does not
/// answer.) How many have not said that they did.
std::size_t catch_up_all(const std::vector<router_recorder_handle>& all,
                         std::chrono::steady_clock::time_point until);

}  // namespace gate::recording

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::recording::catch_up)
