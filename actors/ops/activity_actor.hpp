#pragma once
/// ACTIVITY: what has happened lately, for viewers. It hears of every event that the audit trail
/// gets, whether that is kept or not, and tells it in pages, and to streams as it happens: gathered
/// for a moment, so that a busy gateway is not busier for it. Spawned and supervised by GATEWAY if
/// there is introspection; told by every ROUTER's exit door, asked by ROUTERs, which have the
/// streams. If it crashes, what it kept is forgotten.
#include <caf/typed_event_based_actor.hpp>
#include <set>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/ops/activity_log.hpp"
#include "transport/clock.hpp"

namespace gate::ops {

/// To itself: streams are to be told.
struct tell_streams {};
using activity_base = activity_handle::extend<caf::reacts_to<tell_streams>>;

class activity_actor final : public activity_base::base {
 public:
  activity_actor(caf::actor_config& cfg, wall_clock wall);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::activity); }

 private:
  struct follower {
    follow_activity it;
    std::uint64_t told = 0;  ///< up to this event
  };
  void follow(follow_activity& m);
  void tell_all();
  void arm();

  wall_clock wall_;
  activity_log log_;
  std::vector<follower> followers_;
  std::set<caf::actor_addr> watched_;  ///< ROUTERs: each once, as long as it lives
  bool armed_ = false;
};

}  // namespace gate::ops

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ops::tell_streams)
