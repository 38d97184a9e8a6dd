#pragma once
/// RECORDER in front of a STORE: a STORE to those who ask. Who watches or listens is told by the
/// STORE itself; RECORDER watches and listens beside them, to what any of them listens to. Spawned
/// by whoever assembles the process, if there are a recording and a store, on the unit of its
/// STORE.
#include <caf/typed_event_based_actor.hpp>
#include <set>
#include <unordered_map>

#include "actors/recording/journal.hpp"
#include "transport/pinned.hpp"

namespace gate::recording {

using store_recorder_handle =
    store_handle::extend<caf::reacts_to<store_told>, caf::reacts_to<store_turned>,
                         caf::reacts_to<store_heard>>;

class store_recorder_actor final : public pinned<store_recorder_handle::base> {
 public:
  store_recorder_actor(caf::actor_config& cfg, caf::execution_unit* unit, store_handle of,
                       journal_ptr where);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "store recorder"; }

 private:
  struct asked_for {
    std::uint64_t id = 0;  ///< the asker's
    store_asker asker;
  };

  store_listener self();
  void ask(ask_store& m);
  void listen(const listen_to_store& m);
  void leave(const std::string& channel, caf::actor_id who);

  store_handle of_;
  journal_ptr where_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, asked_for> open_;  ///< by our number
  std::unordered_map<std::string, std::set<caf::actor_id>> channels_;
};

}  // namespace gate::recording
