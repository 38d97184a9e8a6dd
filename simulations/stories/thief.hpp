#pragma once
/// Takes arrivals and answers nobody: a canary of stories, for the checker of endings. Spawned by
/// a story.
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"

namespace gate::churn {

class thief final : public arrivals_handle::base {
 public:
  explicit thief(caf::actor_config& cfg) : arrivals_handle::base(cfg) {}
  behavior_type make_behavior() override {
    return {[](const arrival&) {}, [](const body_read&) {}, [](const client_gone&) {}};
  }
  const char* name() const override { return "thief"; }
};

}  // namespace gate::churn
