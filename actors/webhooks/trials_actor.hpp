#pragma once
/// TRIALS: test calls. Each is one attempt, signed and guarded as all are, of an event that nobody
/// keeps; its webhook may be disabled. Spawned by HOOKS; asked by API.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <map>
#include <memory>

#include "actors/webhooks/destination_actor.hpp"
#include "actors/webhooks/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

/// To itself: the attempt has had its time.
struct trial_over {
  std::uint64_t id = 0;
};
using trials_base = trials_handle::extend<caf::reacts_to<fetched>, caf::reacts_to<streamed>,
                                          caf::reacts_to<trial_over>>;

class trials_actor final : public pinned<trials_base::base> {
 public:
  trials_actor(caf::actor_config& cfg, caf::execution_unit* unit,
               std::shared_ptr<const delivering_parts> parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "trials"; }

 private:
  void begin(const try_webhook& m);
  void give_up(std::uint64_t id, webhook::outcome how);
  void end(std::uint64_t id, webhook::outcome how);
  wall_time wall() const;

  struct trial {
    std::uint64_t number;
    trial_asker asker;
  };
  std::shared_ptr<const delivering_parts> parts_;
  std::map<std::uint64_t, trial> running_;
  std::uint64_t last_ = 0;
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::trial_over)
