#pragma once
/// IO UNIT: one thread that runs an Asio io_context and, behind the handlers that woke them, the
/// CAF actors pinned to it: at the end of the very handler that was alone, else when all have run.
/// Sockets and actors of one unit never run at the same time, so they share state without locks.
/// Owned by the coordinator.
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/scheduler/handler_memory.hpp"
#include "transport/scheduler/turn_size.hpp"

namespace gate::scheduler {

/// Something that wants to act at the end of a turn of the event loop.
class turn_end_user {
 public:
  virtual void on_turn_end() = 0;

 protected:
  ~turn_end_user() = default;
};

class io_unit final : public caf::execution_unit {
 public:
  io_unit(caf::actor_system& sys, std::size_t id, std::size_t max_throughput);
  ~io_unit() override;

  /// The unit whose thread this is, or null.
  static io_unit* current() noexcept;

  boost::asio::io_context& context() noexcept { return context_; }
  std::size_t id() const noexcept { return id_; }

  /// Queues an actor. From the unit's own thread it costs a push; from elsewhere a lock, and one
  /// wake-up for a whole batch.
  void exec_later(caf::resumable* job) override;

  /// Calls `who` once, after all handlers that are ready now have run. Writing to sockets waits for
  /// that: peers are woken in one go instead of one by one, which is a tenth of a proxied call's
  /// CPU. While handlers come one at a time there is nothing to wait for: then `who` is called at
  /// the end of this one.
  void at_turn_end(std::shared_ptr<turn_end_user> who) {
    turn_end_.push_back(std::move(who));
    if (!in_handler_) post_turn_end();
  }
  /// The same, and not before: also while handlers come one at a time.
  void behind_all(std::shared_ptr<turn_end_user> who) {
    turn_end_.push_back(std::move(who));
    post_turn_end();
  }
  /// As `at_turn_end`, behind those of this turn: for what nobody waits for, as a read of what has
  /// most likely not come yet.
  void behind_writes(std::shared_ptr<turn_end_user> who) {
    behind_writes_.push_back(std::move(who));
    if (!in_handler_) post_turn_end();
  }
  /// Do actors run for a handler that came alone? Then what is for the end of the turn is next.
  bool alone() const { return alone_; }
  /// The same, for who would rather act now; a few times only: the end of a turn, when others may
  /// have theirs between, is for who acts for many.
  bool alone_for_few() { return alone_ && few_ > 0 && few_-- > 0; }

  void run();
  void stop();
  /// Drops what is still queued; only after the thread has ended.
  void discard();

 private:
  friend class handler_scope;

  /// Runs queued actors now; bounded per call, in number and time, so that sockets are never
  /// starved.
  void drain();
  void end_handler();
  void take_inbox();
  void post_turn_end();
  void end_turn();
  bool turn_ends() const {
    return !turn_end_.empty() || !behind_writes_.empty() || !turn_ending_.empty();
  }
  bool waits() const { return !ready_.empty() || turn_ends(); }

  handler_memory turn_end_memory_;  ///< outlives what waits in the context
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> keep_running_;
  std::deque<caf::resumable*> ready_;
  std::mutex inbox_mutex_;
  std::vector<caf::resumable*> inbox_;
  std::size_t id_;
  std::size_t throughput_;
  std::vector<std::shared_ptr<turn_end_user>> turn_end_, behind_writes_, turn_ending_;
  std::size_t turn_ended_ = 0;  ///< of `turn_ending_`
  turn_size turn_size_;
  bool in_handler_ = false;
  bool turn_end_posted_ = false;
  bool draining_ = false;
  bool alone_ = false;
  int few_ = 0;          ///< that may act at once in this turn, yet
  bool behind_ = false;  ///< the last drain left something
};

/// What each handler of an I/O event or timer begins with. At its end the actors that it woke run,
/// if no other handlers are ready: that saves them a trip through the io_context.
class handler_scope {
 public:
  explicit handler_scope(io_unit& unit) : unit_(unit), outer_(!unit.in_handler_) {
    unit_.in_handler_ = true;
  }
  ~handler_scope() {
    if (outer_) unit_.end_handler();
  }
  handler_scope(const handler_scope&) = delete;
  handler_scope& operator=(const handler_scope&) = delete;

 private:
  io_unit& unit_;
  bool outer_;  ///< not within another one
};

}  // namespace gate::scheduler
