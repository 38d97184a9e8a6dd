#pragma once
/// STORE over a real connection. Spawned by the runtime, one per unit, if there is a shared store.
///
/// The first who comes to a store without data puts a random name there, of this life of its data.
/// Whoever finds another one at its return than it knows, or while it is there, tells so.
#include <caf/typed_event_based_actor.hpp>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/store/client.hpp"

namespace gate::doors {

/// Connect; the promise is told what was wrong, or nothing.
struct open_store {
  std::shared_ptr<std::promise<std::string>> told;
};
/// To itself, every ten seconds: has the store lost its data while the connection stayed?
struct look_for_life {};
using store_door = store_handle::extend<caf::reacts_to<open_store>, caf::reacts_to<look_for_life>>;

struct store_parts {
  resp::store_url to;
  std::shared_ptr<store::presence> all;
  std::shared_ptr<gate::metrics> metrics;
};

class store_actor final : public pinned<store_door::base> {
 public:
  store_actor(caf::actor_config& cfg, scheduler::io_unit* unit, const store_parts& parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "store door"; }

 private:
  struct listener {
    store_listener who;
    std::set<std::string> channels;
    std::set<std::string> waits;  ///< of these, those that are not listened to yet
  };

  void watch(const watch_store& m);
  void listen(const listen_to_store& m);
  void unlisten(const unlisten_store& m);
  void heard(const store_heard& m);
  void turned(bool here);
  void ask_for_life();
  void on_life(const store_told& m);
  void look_whether_it_lives();
  void told_all(store_turned m);
  void listening(const std::string& channel);
  void forget(caf::actor_id who);
  void leave(const std::string& channel, caf::actor_id who);

  std::unique_ptr<store::client> client_;
  std::shared_ptr<std::promise<std::string>> opening_;  ///< null: it is known how that went
  std::string life_;  ///< of the data of the store; empty: not known yet
  bool here_ = false;
  std::map<caf::actor_id, store_watcher> watchers_;
  std::map<caf::actor_id, listener> listeners_;
  std::map<std::string, std::set<caf::actor_id>> channels_;
};

}  // namespace gate::doors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doors::open_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doors::look_for_life)
