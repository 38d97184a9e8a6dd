#pragma once
/// STORE without a server: what several gateways of one world share, and the door of each unit to
/// it. It knows a handful of commands, and scripts as functions; keys end by the stage's clock.
/// Tests have it go away, fall silent, refuse, take its time, and tell what is published in another
/// order or not at all.
#include <caf/all.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/resp/reader.hpp"
#include "transport/interfaces.hpp"

namespace gate::sim {

class fake_store_door;

/// The server, as all doors see it.
class fake_store {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using words = std::vector<std::string>;
  /// What a script does: answers in RESP.
  using script = std::function<std::string(fake_store&, const words& keys, const words& arguments)>;

  // --- what tests tell it
  /// Nobody reaches it; those that wait are told that it was lost. `back` lets them in again.
  void go();
  void back();
  bool here() const { return here_; }
  /// It is there, and says nothing: who asks is told `timeout`, after which nothing is done (or, if
  /// `does_it`, has been done all the same).
  void fall_silent(bool does_it = false);
  void speak() { silent_ = false; }
  /// Every operation is refused so, by words such as `-OOM no memory`; empty: none.
  void refuse(std::string error) { refusal_ = std::move(error); }
  /// Answers come so much later. Beyond `limits::store_operation` that is a timeout.
  void delay(std::chrono::milliseconds by) { delay_ = by; }
  /// What is published is kept, until `tell` lets the one at this place out, or all are dropped.
  void hold_news(bool on) { holds_ = on; }
  std::size_t held() const { return news_.size(); }
  void tell(std::size_t place);
  void drop_news() { news_.clear(); }
  /// As a restart without its data would.
  void forget_all() { keys_.clear(); }
  /// What a script with this text does.
  void teach(std::string_view text, script what);

  // --- what it has
  std::optional<std::string> get(const std::string& key);
  void set(const std::string& key, std::string value, std::optional<std::chrono::milliseconds> ttl);
  /// To all that listen, as a script would.
  void publish(store_heard what);
  bool erase(const std::string& key) { return keys_.erase(key) > 0; }
  /// What is left of a key's time; nothing: it has none, or is not there.
  std::optional<std::chrono::milliseconds> ttl(const std::string& key);
  std::size_t size();
  /// Every operation that reached it, its words joined by blanks.
  const words& seen() const { return seen_; }
  time_point now() const { return now_; }

 private:
  friend class fake_store_door;
  struct record {
    std::string value;
    std::optional<time_point> until;
  };

  /// The answer to one operation, in RESP.
  std::string run(const store_request& what, time_point now);
  std::string command(const words& w);
  std::string set_command(const words& w);
  std::string add_command(const std::string& key, std::int64_t by);
  void forget_old();

  std::map<std::string, record> keys_;
  std::map<std::string, script> scripts_;  ///< by digest
  std::vector<fake_store_door*> doors_;
  std::deque<store_heard> news_;
  std::string refusal_;
  std::chrono::milliseconds delay_{0};
  time_point now_{};
  time_point first_end_ = time_point::max();  ///< of no key it is earlier
  words seen_;
  bool here_ = true;
  bool silent_ = false;
  bool does_it_ = false;
  bool holds_ = false;
};

/// To itself: this is due.
struct store_due {
  std::shared_ptr<std::function<void()>> what;
};

/// The door of one unit.
class fake_store_door final : public store_actor::extend<caf::reacts_to<store_due>>::base {
 public:
  fake_store_door(caf::actor_config& cfg, std::shared_ptr<fake_store> server);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "fake store"; }

 private:
  friend class fake_store;
  struct waiting {
    std::uint64_t id;
    store_asker who;
  };

  void ask(const ask_store& m);
  void answer(const store_asker& who, store_told told, std::chrono::milliseconds after);
  /// The server has come or gone.
  void turn(bool here);
  void hear(const store_heard& m);

  std::shared_ptr<fake_store> server_;
  std::map<std::uint64_t, waiting> waiting_;
  std::uint64_t next_ = 0;
  std::map<caf::actor_id, store_watcher> watchers_;
  struct listener {
    store_listener who;
    std::set<std::string> channels;
  };
  std::map<caf::actor_id, listener> listeners_;
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::store_due)
