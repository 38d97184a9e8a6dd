#pragma once
/// SHARED LIMITER: RATE LIMITER of a gateway whose fleet has a store. The store decides, by its own
/// clock, for all instances; the table here is a copy that each decision renews. It decides itself
/// while the store is away, or when that does not answer in time: what was exhausted stays so.
/// Spawned and supervised by GATEWAY in the place of RATE LIMITER; asked by ROUTERs (stage 3) and
/// UPSTREAMs (stage 6), asks STORE of the first unit. If it crashes, the store still knows.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>

#include "actors/fleet/shared_windows.hpp"
#include "actors/guards/rate_table.hpp"
#include "actors/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

using shared_limiter_actor =
    store_asker::extend_with<store_watcher>::extend_with<rate_limiter_actor>;

class shared_limiter final : public pinned<shared_limiter_actor::base> {
 public:
  shared_limiter(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store,
                 std::size_t most_principals = limits::rate_windows);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::limiter); }

 private:
  using time_point = guards::rate_table::time_point;

  void ask(admit m);
  void on_told(const store_told& m);
  void answer(const admit& m, const windows_told& told);
  /// By what is known here.
  void decide(const admit& m);
  /// The store has lost what it had: in front of all that is asked from now on, it is told.
  void tell_windows();
  /// What time it is at the store, as far as that is known.
  time_point there() { return clock().now() + lead_; }

  store_actor store_;
  guards::rate_table table_;  ///< by the store's time
  std::unordered_map<std::uint64_t, admit> asked_;
  std::uint64_t next_ = 1;
  time_point::duration lead_{0};  ///< of the store's clock
  bool here_ = false;
};

}  // namespace gate::fleet
