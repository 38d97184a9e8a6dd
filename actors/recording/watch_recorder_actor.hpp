#pragma once
/// RECORDER between WATCH and GATEWAY: writes down what the operator wants, and hands it on.
/// Spawned by whoever assembles the process, if there is a recording, on the first unit.
#include <caf/typed_event_based_actor.hpp>

#include "actors/recording/journal.hpp"
#include "transport/pinned.hpp"

namespace gate::recording {

class watch_recorder_actor final : public pinned<watcher_handle::base> {
 public:
  watch_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit, watcher_handle to,
                       journal_ptr where)
      : pinned(cfg, unit), to_(std::move(to)), where_(std::move(where)) {}
  behavior_type make_behavior() override {
    return {
        [this](const stop_requested& m) {
          where_->happened(kind::stop);
          send(to_, m);
        },
        [this](const reload_requested& m) {
          where_->happened(kind::reload);
          send(to_, m);
        },
    };
  }
  void on_exit() override { to_ = nullptr; }
  const char* name() const override { return "watch recorder"; }

 private:
  watcher_handle to_;
  journal_ptr where_;
};

}  // namespace gate::recording
