#pragma once
/// SHARED LIMITER: RATE LIMITER of a gateway whose fleet has a store. The store decides, by its own
/// clock, for all instances; what is known here is a copy that each decision renews. It decides
/// itself while the store is away, or when that does not answer in time. Spawned and supervised by
/// GATEWAY in the place of RATE LIMITER; asked by ROUTERs (stage 3), asks STORE of the first unit.
/// If it crashes, the store still knows.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>
#include <vector>

#include "actors/fleet/gathering.hpp"
#include "actors/fleet/window_copy.hpp"
#include "actors/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

using shared_limiter_handle = store_asker::extend_with<store_watcher>::extend_with<
    rate_limiter_handle>::extend<caf::reacts_to<ask_gathered>>;

class shared_limiter_actor final : public pinned<shared_limiter_handle::base> {
 public:
  shared_limiter_actor(caf::actor_config& cfg, caf::execution_unit* unit, store_handle store,
                       std::size_t most_principals = limits::rate_windows);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::limiter); }

 private:
  void begin(const admit& m);
  void ask_all();
  void on_told(const store_told& m);
  /// What it has to hear after it has lost its data, at most so many parts of it.
  void tell_windows(std::size_t most);

  store_handle store_;
  window_copy windows_;
  gathering<rate_scopes_ptr, admit> gathered_;
  std::unordered_map<std::uint64_t, std::vector<admit>> asked_;
  std::uint64_t next_ = 1;
  bool here_ = false;
};

}  // namespace gate::fleet
