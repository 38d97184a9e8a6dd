#pragma once
/// UPKEEP: has LEDGER remove what was kept long enough, a step at a time, and counts what there is
/// for metrics. Spawned by HOOKS; asks LEDGER, one question at a time, so that it never is what
/// others wait for.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>

#include "actors/webhooks/interfaces.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

struct upkeep_parts {
  ledger_handle ledger;
  std::chrono::seconds succeeded_kept{}, dead_kept{};
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
};

/// To itself.
struct upkeep_tick {};
using upkeep_base = upkeep_handle::extend<caf::reacts_to<ledger_told>, caf::reacts_to<upkeep_tick>>;

class upkeep_actor final : public pinned<upkeep_base::base> {
 public:
  upkeep_actor(caf::actor_config& cfg, caf::execution_unit* unit, upkeep_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "upkeep"; }

 private:
  void ask(ledger::request what);
  void go_on();
  void told(const ledger_told& m);
  void count(const ledger::counts& c);
  wall_time wall() const;

  upkeep_parts parts_;
  labelled<webhook::state> queue_;
  metrics::value oldest_, webhooks_;
  std::uint64_t question_ = 0, last_question_ = 0;  ///< 0: LEDGER is not being asked
  std::chrono::steady_clock::time_point clean_at_{};
  std::uint64_t removed_ = 0;  ///< since there was nothing left to remove
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::upkeep_tick)
