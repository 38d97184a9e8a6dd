#include "transport/scheduler/io_unit.hpp"

#include <algorithm>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>
#include <caf/logger.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <chrono>
#include <iterator>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::scheduler {
namespace {

/// Actors resumed in one drain before sockets get their turn again.
constexpr int drain_budget = 512;
/// Who may act at once while a handler is alone.
constexpr int few_at_once = 4;
/// Most turns are over before it is worth to look at the clock.
constexpr int short_turn = 4;

/// Has this turn lasted long enough? Asked before each piece of work but the first few.
class turn_watch {
 public:
  bool over() {
    if (++asked_ <= short_turn) return false;
    const auto now = std::chrono::steady_clock::now();
    if (asked_ == short_turn + 1) until_ = now + limits::unit_turn;
    return now >= until_;
  }

 private:
  int asked_ = 0;
  std::chrono::steady_clock::time_point until_;
};

thread_local io_unit* this_unit = nullptr;

}  // namespace

io_unit::io_unit(caf::actor_system& sys, std::size_t id, std::size_t max_throughput)
    : caf::execution_unit(&sys),
      // Its sockets belong to one thread: nothing of them is locked.
      context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      keep_running_(context_.get_executor()),
      id_(id),
      throughput_(max_throughput) {}

io_unit::~io_unit() {
  discard();
}

io_unit* io_unit::current() noexcept {
  return this_unit;
}

void io_unit::exec_later(caf::resumable* job) {
  if (this_unit == this) {
    ready_.push_back(job);
    if (!draining_ && !in_handler_) post_turn_end();
    return;
  }
  bool wake = false;
  {
    std::lock_guard lock(inbox_mutex_);
    wake = inbox_.empty();
    inbox_.push_back(job);
  }
  if (wake)
    boost::asio::post(context_, [this] {
      const handler_scope scope(*this);
      take_inbox();
    });
}

void io_unit::drain() {
  if (draining_) return;
  draining_ = true;
  // CAF's own log, which nobody reads, notes with each message whose turn it is, under a lock. It
  // does so where a thread has this log, and each spawning of an actor gives the thread one.
  caf::logger::set_current_actor_system(nullptr);
  turn_watch watch;
  for (int budget = drain_budget; !ready_.empty() && budget > 0 && !watch.over(); --budget) {
    auto* job = ready_.front();
    ready_.pop_front();
    switch (job->resume(this, throughput_)) {
      case caf::resumable::resume_later:
        ready_.push_back(job);
        break;
      case caf::resumable::done:
      case caf::resumable::awaiting_message:
        caf::intrusive_ptr_release(job);
        break;
      case caf::resumable::shutdown_execution_unit:
        break;
    }
  }
  draining_ = false;
  behind_ = !ready_.empty();
}

/// What comes with others is gathered: an actor that finds several messages takes them in one go,
/// and what it needs is still in the processor's cache at the second. That is a tenth of a call's
/// own time. Not while actors are behind, or more would be read than they keep up with.
void io_unit::end_handler() {
  const bool woke = waits();
  if (woke) turn_size_.handler();
  const bool alone = woke && !turn_end_posted_ && turn_size_.is_one();
  alone_ = alone;
  few_ = few_at_once;
  if (alone || behind_) drain();
  alone_ = false;
  in_handler_ = false;
  if (alone && !turn_end_posted_ && turn_ends()) return end_turn();
  if (waits()) post_turn_end();
}

void io_unit::post_turn_end() {
  if (std::exchange(turn_end_posted_, true)) return;
  boost::asio::post(context_, boost::asio::bind_allocator(turn_end_memory_.allocator(), [this] {
                      turn_end_posted_ = false;
                      turn_size_.ended();
                      end_turn();
                    }));
}

/// Whoever wants to act at the end of this turn said so before its actors run: what these want is
/// for the end of the next, behind all that is ready by now.
void io_unit::end_turn() {
  if (turn_ending_.empty()) {
    turn_ending_.swap(turn_end_);
    std::move(behind_writes_.begin(), behind_writes_.end(), std::back_inserter(turn_ending_));
    behind_writes_.clear();
  }
  in_handler_ = true;
  drain();
  turn_watch watch;
  while (turn_ended_ < turn_ending_.size() && !watch.over())
    std::exchange(turn_ending_[turn_ended_++], nullptr)->on_turn_end();
  if (turn_ended_ == turn_ending_.size()) {
    turn_ending_.clear();
    turn_ended_ = 0;
  }
  in_handler_ = false;
  if (waits()) post_turn_end();
}

void io_unit::run() {
  this_unit = this;
  context_.run();
  this_unit = nullptr;
}

void io_unit::stop() {
  keep_running_.reset();
  context_.stop();
}

void io_unit::discard() {
  take_inbox();
  while (!ready_.empty()) {
    auto* job = ready_.front();
    ready_.pop_front();
    caf::scheduler::abstract_coordinator::cleanup_and_release(job);
  }
}

void io_unit::take_inbox() {
  std::lock_guard lock(inbox_mutex_);
  ready_.insert(ready_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
}

}  // namespace gate::scheduler
