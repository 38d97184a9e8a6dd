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

/// A door of another kind: it hears all that is published, and that the server goes and comes.
class store_ear {
 public:
  virtual void turn(bool here) = 0;
  virtual void hear(const store_heard& m) = 0;
  virtual bool hears(const std::string& channel) const = 0;

 protected:
  ~store_ear() = default;
};

/// What an answer means for who asked.
store_outcome outcome_of(const resp::value& v);

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
  /// Of its data: another number after a restart without them.
  std::uint64_t life() const { return life_; }
  /// The same of the door that was made as this one (from 0): of a unit whose network is gone.
  void cut_off(std::size_t door);
  void let_in(std::size_t door);
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
  /// What is published on this channel is not told: `say` says what is.
  void mute(std::string channel) { muted_.insert(std::move(channel)); }
  void say(const store_heard& what);
  /// As a restart without its data would.
  void forget_all() {
    keys_.clear();
    ++life_;
  }
  /// What a script with this text does.
  void teach(std::string_view text, script what);
  /// What it does, as it was taught.
  const script& taught(std::string_view text) const;
  void hear_by(store_ear* who) { ears_.push_back(who); }
  void hear_by_no_more(store_ear* who) { std::erase(ears_, who); }
  /// The answer to one operation, in RESP.
  std::string run(const store_request& what, time_point now);

  // --- what it has
  std::optional<std::string> get(const std::string& key);
  void set(const std::string& key, std::string value, std::optional<std::chrono::milliseconds> ttl);
  /// To all that listen, as a script would.
  /// Returns at how many doors somebody listens.
  std::size_t publish(store_heard what);
  std::size_t listeners(const std::string& channel) const;
  /// What a hash has; null: it is not there.
  const std::map<std::string, std::string>* fields(const std::string& key);
  void set_field(const std::string& key, const std::string& field, std::string value);
  void erase_field(const std::string& key, const std::string& field);
  void expire(const std::string& key, std::chrono::milliseconds ttl);
  bool erase(const std::string& key) { return keys_.erase(key) > 0; }
  /// What is left of a key's time; nothing: it has none, or is not there.
  std::optional<std::chrono::milliseconds> ttl(const std::string& key);
  std::size_t size();
  /// Those that begin so.
  words keys(std::string_view prefix);
  /// Every operation that reached it, its words joined by blanks.
  const words& seen() const { return seen_; }
  time_point now() const { return now_; }

 private:
  friend class fake_store_door;
  struct record {
    std::string value{};
    std::optional<time_point> until{};
    std::map<std::string, std::string> fields{};
  };

  std::string command(const words& w);
  std::string set_command(const words& w);
  std::string add_command(const std::string& key, std::int64_t by);
  void forget_old();

  std::map<std::string, record> keys_;
  std::map<std::string, script> scripts_;  ///< by digest
  std::vector<fake_store_door*> doors_;
  std::vector<store_ear*> ears_;
  std::deque<store_heard> news_;
  std::set<std::string> muted_;
  std::string refusal_;
  std::chrono::milliseconds delay_{0};
  time_point now_{};
  time_point first_end_ = time_point::max();  ///< of no key it is earlier
  words seen_;
  std::uint64_t life_ = 1;  ///< of its data
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
class fake_store_door final : public store_handle::extend<caf::reacts_to<store_due>>::base {
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
  bool here() const { return server_->here_ && !cut_off_; }
  bool hears(const std::string& channel) const;
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
  bool cut_off_ = false;
  std::uint64_t life_ = 0;  ///< of the store's data, as it was known last
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::store_due)
