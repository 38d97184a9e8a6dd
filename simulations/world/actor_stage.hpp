#pragma once
/// One actor system under CAF's test coordinator: a single thread, virtual time, and nothing runs
/// unless whoever holds it lets it.
///
/// What must not be used on a stage: blocking or detached actors, and request timeouts other than
/// `caf::infinite` (they would need real time).
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gate::sim {

class actor_stage {
 public:
  /// By the clock, when it begins. Code may take the beginning of the clock for "never" or "long
  /// ago".
  static constexpr std::chrono::hours start_of_time{1000};

  actor_stage();
  /// Kills every actor that ever ran; one that survives is a complaint, not a hang.
  virtual ~actor_stage();
  actor_stage(const actor_stage&) = delete;
  actor_stage& operator=(const actor_stage&) = delete;

  caf::actor_system& system() { return *system_; }
  std::chrono::steady_clock::time_point now() { return clock().now(); }

  /// So many timers are set.
  std::size_t timers() const { return clock().schedule().size(); }

  /// Runs every message that waits, and those that these cause. Time stands still.
  void settle();
  /// Runs one message; false if none waits.
  bool step();
  /// Lets time pass, from due time to due time, so that timers armed by timers fire when they
  /// should.
  void advance(caf::timespan total);
  /// Calls this whenever time has passed and all is quiet; it must change nothing.
  void watch_time(std::function<void()> by) { watcher_ = std::move(by); }
  /// From now on, whose turn it is is drawn with this seed.
  void shuffle(std::uint64_t seed) { dice_.emplace(seed); }
  /// While held, `tell` and friends only put messages into mailboxes.
  void hold(bool on) { held_ = on; }

  template <class Handle, class... Ts>
  void tell(const Handle& to, Ts&&... xs) {
    caf::anon_send(to, std::forward<Ts>(xs)...);
    if (!held_) settle();
  }

  template <class R>
  struct pending {
    std::shared_ptr<std::optional<R>> value = std::make_shared<std::optional<R>>();
    std::shared_ptr<std::optional<caf::error>> error =
        std::make_shared<std::optional<caf::error>>();
    bool done() const { return value->has_value() || error->has_value(); }
    const R& get() const {
      if (!value->has_value()) throw std::logic_error("no answer (yet)");
      return **value;
    }
  };
  /// Sends a request and runs until all is quiet. Never blocks: look at `done()`.
  template <class R, class Handle, class... Ts>
  pending<R> ask(const Handle& to, Ts... xs) {
    pending<R> p;
    system_->spawn(
        [to, p, what = std::make_tuple(std::move(xs)...)](caf::event_based_actor* self) mutable {
          std::apply(
              [&](auto&... ys) {
                self->request(to, caf::infinite, std::move(ys)...)
                    .then([p](R& r) { *p.value = std::move(r); },
                          [p](caf::error& e) { *p.error = std::move(e); });
              },
              what);
        });
    if (!held_) settle();
    return p;
  }

  /// Handles of the living actors whose `name()` is this, in the order they were spawned.
  std::vector<caf::actor> cast(const std::string& name) const;
  /// Kills an actor as a crash would.
  template <class Handle>
  void crash(const Handle& who) {
    caf::anon_send_exit(who, caf::exit_reason::unhandled_exception);
    if (!held_) settle();
  }

  /// It does not end from now on when it is told to, but when it is killed.
  static void make_stubborn(const caf::actor& who);

  /// Whoever `make` spawns is of this household (from 1) from now on, and whom they spawn.
  template <class F>
  void settle_in(std::size_t household, F make) {
    const auto before = system_->latest_actor_id();
    make();
    assign(household, before);
  }
  /// 0: of none.
  std::size_t household_of(caf::actor_id who) const;
  /// Kills a whole household, as the end of its process would: nobody else has a turn meanwhile.
  void kill(std::size_t household);

  /// Everybody's turns so far, as `name#id`; only filled after `record_turns()`.
  void record_turns() { recording_ = true; }
  const std::string& turns() const { return turns_; }

 protected:
  /// Called when no message waits; true if it caused new ones.
  virtual bool when_quiet() { return false; }
  /// Kills everybody; for destructors of derived classes, whose members the actors use.
  void clear_stage();

 private:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("logger.inline-output", true);
    }
  };
  caf::detail::test_actor_clock& clock() const { return coordinator_->clock(); }
  void note(caf::scheduled_actor& who);
  void run_front();
  void assign(std::size_t household, caf::actor_id behind);

  config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* coordinator_ = nullptr;
  struct member {
    std::string name{};
    caf::actor_addr address{};
  };
  // By id, of which each is used once: looked at with every turn.
  std::vector<member> members_;  ///< without an address: it has had no turn
  std::vector<std::size_t> households_;
  std::optional<std::mt19937_64> dice_;
  std::function<void()> watcher_;
  std::string turns_;
  bool held_ = false;
  bool recording_ = false;
};

}  // namespace gate::sim
