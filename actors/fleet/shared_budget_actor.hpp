#pragma once
/// SHARED BUDGET: BUDGET of a gateway whose fleet has a store. The store counts, by its own clock,
/// for all instances; an upstream's limit and the costs of a call it is asked for in one question
/// (decision 0028). What is known here is a copy that each answer renews. It decides itself while
/// the store is away, or when that does not answer in time, which `gate_budget_degraded_total`
/// counts for budgets; what it charged then the store is told when it returns; and if that has lost
/// its data, also what was used before, as far as it is known here. Spawned and supervised by
/// GATEWAY in the place of BUDGET; asked by UPSTREAMs and UPSTREAM SESSIONs, asks STORE of the
/// first unit. If it crashes, the store still knows; what was charged while that was away is
/// forgotten.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/fleet/debts.hpp"
#include "actors/fleet/gathering.hpp"
#include "actors/fleet/stage_question.hpp"
#include "actors/fleet/untold.hpp"
#include "actors/fleet/window_copy.hpp"
#include "actors/guards/budget_table.hpp"
#include "actors/interfaces.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

using shared_budget_handle = store_asker::extend_with<store_watcher>::extend_with<
    budget_handle>::extend<caf::reacts_to<ask_gathered>>;

/// A name for one life of one instance: 128 random bits.
std::string name_of_a_life(const random_source& random);

struct shared_budget_parts {
  store_handle store;
  wall_clock wall;
  metrics::value degraded;  ///< gate_budget_degraded_total
  std::string instance;     ///< no two instances, and no two lives of one, have the same
  std::size_t most = limits::budget_records;
};

class shared_budget_actor final : public pinned<shared_budget_handle::base> {
 public:
  shared_budget_actor(caf::actor_config& cfg, caf::execution_unit* unit, shared_budget_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::budget); }

 private:
  /// Either may be missing (no scopes); both are one question, and the room's asker is told.
  struct request {
    admit room;
    charge costs;
  };
  /// All of the same windows and budgets.
  struct question {
    std::vector<request> all;
    bool again = false;  ///< the first time was about another period
  };

  void begin(request a);
  void ask_all();
  void ask(question q);
  void on_told(const store_told& m);
  void answer(question q, const stage_told& told);
  /// By what is known here.
  void decide(const request& a);
  charged decide(const charge& m);
  usage_shown show(const show_usage& m);
  /// To whoever has asked.
  void tell(const request& a, admitted room, charged costs);
  void owe(const std::vector<allowance>& scopes, wall_time at, std::int64_t each);
  void pay();
  /// The store has lost what it had: it is to be told what was used, as far as that is known here.
  void note_uses();
  void tell_uses();
  /// The same of windows, at most so many parts.
  void tell_windows(std::size_t most);
  /// What time it is at the store, as far as that is known.
  wall_time there() { return parts_.wall() + lead_; }

  shared_budget_parts parts_;
  guards::budget_table table_;  ///< by the store's time
  debts debts_;
  gathering<std::pair<rate_scopes_ptr, allowances_ptr>, request> gathered_;
  std::unordered_map<std::uint64_t, question> asked_;
  std::unordered_map<std::uint64_t, debts::portion> paying_;
  untold<std::vector<debt>> uses_;
  window_copy windows_;  ///< of upstreams
  std::uint64_t next_ = 1;
  wall_time::duration lead_{0};  ///< of the store's clock
  bool here_ = false;
};

}  // namespace gate::fleet
