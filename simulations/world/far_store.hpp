#pragma once
/// STORE behind a network: the door of one instance to a `fake_store` that is some way off. What is
/// asked and answered takes time, gets lost or is swallowed, as whoever holds the link has it;
/// three answers that do not come make the store away, as the real door does it, and it is looked
/// for every second.
///
/// What a connection promises holds: its messages come in their order, until it ends. It leads to
/// one run of the store: what is under way when that stops, the next run never reads, whoever has
/// noticed by then. What is published comes on the same one, or (RESP2) on another: then it may be
/// before or behind what the store answered.
#include <deque>
#include <random>

#include "simulations/world/fake_store.hpp"

namespace gate::sim {

class far_store_door;

/// What lies between one instance and the store.
struct store_link {
  enum class trouble : std::uint8_t {
    none,
    cut,       ///< its connection is gone, and none can be made
    swallows,  ///< what is asked does not arrive: later, if the connection lives so long
    keeps,     ///< it arrives and is done, and nothing comes back: later, likewise
    stalls,    ///< nothing is done until all is well again
  };

  explicit store_link(std::uint64_t seed) : dice(seed) {}
  /// From now on.
  void be(trouble what);

  trouble now = trouble::none;
  std::chrono::milliseconds longest{0};  ///< each way takes up to so long
  bool apart = false;                    ///< what is published has a connection of its own
  bool here = false;                     ///< what the instance takes for true
  std::mt19937_64 dice;
  far_store_door* door = nullptr;  ///< its end at the instance, while that lives
};

class far_store_door final : public store_handle::extend<caf::reacts_to<store_due>>::base,
                             public store_ear {
 public:
  far_store_door(caf::actor_config& cfg, std::shared_ptr<fake_store> server,
                 std::shared_ptr<store_link> link);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "far store"; }

  // store_ear
  void turn(bool here) override;
  void hear(const store_heard& m) override;
  bool hears(const std::string& channel) const override;

  /// The link is another from now on.
  void look();

 private:
  using time_point = std::chrono::steady_clock::time_point;
  using trouble = store_link::trouble;
  struct asked {
    std::uint64_t id;
    store_asker who;
  };
  /// On its way to the store.
  struct sent {
    time_point due;
    std::uint64_t number;  ///< 0: nobody waits for an answer
    std::uint64_t connection;
    std::uint64_t run;  ///< of the store, which that leads to
    store_request what;
  };
  /// On its way back: an answer, or what was published.
  struct coming {
    time_point due;
    std::uint64_t number;
    store_told told;
    std::optional<store_heard> heard;
  };

  void ask(const ask_store& m);
  void put(std::uint64_t number, store_request what);
  void come_back(std::deque<coming>& by, coming what);
  void deliver();
  void arrive();
  void arrive(sent it, bool old);
  void bring(std::deque<coming>& from);
  void miss(std::uint64_t number);
  void lose();
  void tick();
  void tell_all(store_turned what);
  bool reaches() const;
  bool is_connected() const;
  void wake(std::chrono::milliseconds after, std::function<void()> what);
  time_point due_behind(time_point last);

  std::shared_ptr<fake_store> server_;
  std::shared_ptr<store_link> link_;
  std::map<std::uint64_t, asked> asked_;
  std::deque<sent> sent_;
  std::deque<coming> answers_, news_;
  std::map<caf::actor_id, store_watcher> watchers_;
  struct listener {
    store_listener who;
    std::set<std::string> channels;
  };
  std::map<caf::actor_id, listener> listeners_;
  std::uint64_t next_ = 1;
  std::uint64_t connection_ = 1;
  std::uint64_t run_ = 1;       ///< of the store: another one whenever it has stopped
  std::uint64_t leads_to_ = 1;  ///< the run that the connection was made to
  std::size_t missed_ = 0;      ///< in a row
  std::uint64_t life_ = 0;      ///< of the store's data, as it was known last
  time_point quiet_since_{};
};

}  // namespace gate::sim
