#pragma once
/// KEY SET: fetches one issuer's signing keys, in the background, and tells whoever listens. Nobody
/// waits for it but calls whose token names a key that is not known. Spawned and supervised by
/// GATEWAY, on the first unit; asked by ROUTERs and MINT.
#include <caf/typed_event_based_actor.hpp>
#include <string>
#include <vector>

#include "actors/identity/key_schedule.hpp"
#include "actors/identity/sources.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::identity {

/// To itself: look at the clock (the latest one only); or, the fetch of this number has lasted too
/// long.
struct key_tick {
  std::uint64_t late = 0;
  std::uint64_t number = 0;
};
using key_set_base = keys_handle::extend<caf::reacts_to<key_tick>>;

struct key_set_parts {
  std::size_t index = 0;  ///< of the source
  key_source source;
  egress_handle egress;
  labelled<fetch_outcome> fetches;
};

class key_set_actor final : public pinned<key_set_base::base> {
 public:
  key_set_actor(caf::actor_config& cfg, caf::execution_unit* unit, key_set_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::keys); }

 private:
  void begin();
  void on_fetched(const fetched& f);
  void on_tick(const key_tick& m);
  void failed(std::string_view why);
  void arm();
  keys_told what_is_known() const;
  void tell_all();

  key_set_parts parts_;
  std::shared_ptr<const destination> to_;
  key_schedule schedule_;
  std::vector<keys_listener> listeners_;
  std::string text_;  ///< that `keys_` was read from: the same again is no news
  oauth::key_set_ptr keys_;
  bool expired_ = false;
  std::uint64_t fetch_ = 0;
  std::uint64_t tick_ = 0;
};

}  // namespace gate::identity

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::identity::key_tick)
