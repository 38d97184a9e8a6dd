#pragma once
/// What is to be delivered to somebody who may be slow, away, or gone: bounded, in batches, one
/// under way at a time, tried again with growing pauses. Pure, `now` as a parameter; whoever has
/// one makes deliveries of its batches, and tells what became of them.
///
///   there is       the oldest is young   the oldest has waited, or a batch is full   under way
///   `begin`        nothing yet           a batch                                     nothing
///
///   a delivery     with attempts left          with none left
///   taken          its items leave             its items leave
///   failed         again, after a pause        its items are lost
///   refused        its items are lost          its items are lost
///
/// An item may hold several of what is counted and bounded (spans that were gathered); they stay
/// together. The bound counts what is under way too, but only what waits makes room: a delivery
/// that is being tried stays what it is.
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace gate::outbox {

using time_point = std::chrono::steady_clock::time_point;

struct bounds {
  std::size_t items = 0;
  std::size_t bytes = 0;
  std::size_t batch = 0;             ///< items of one delivery
  std::chrono::milliseconds gather;  ///< so long the first of a batch waits for others
  unsigned attempts = 0;
  std::chrono::milliseconds pause;  ///< before the second attempt; then doubling
};

class queue {
 public:
  using item = std::shared_ptr<const std::string>;
  using batch = std::vector<item>;

  explicit queue(bounds b) : bounds_(b) {}

  /// Returns how many were dropped to make room; or that these were, for which there is none.
  std::size_t put(item it, time_point now, std::size_t count = 1);
  /// The batch that is to be delivered now: `batch` at most (or one item with more), the same again
  /// after a failure. Empty: none is.
  const batch& begin(time_point now);
  /// The delivery that was begun was taken.
  void taken();
  /// It was not. `spread` from 0 to 1: half of the pause, to half as much again, and not before
  /// `at_least`. Returns how many items are lost by that.
  std::size_t failed(time_point now, double spread, std::chrono::milliseconds at_least = {});
  /// It was not, and never will be. Returns how many items are lost.
  std::size_t refused();
  /// When `begin` has something; `never`: it depends on others.
  time_point due() const;
  /// From now on nothing waits for others.
  void hurry() { bounds_.gather = {}; }
  /// Nobody waits for anything any more. Returns how many are lost.
  std::size_t give_up();

  /// Of what waits or is under way.
  std::size_t size() const { return count_; }
  bool under_way() const { return begun_; }
  static constexpr auto never = time_point::max();

 private:
  struct waiting {
    item it;
    std::size_t count;
    time_point since;
  };

  bounds bounds_;
  std::deque<waiting> waiting_;
  std::size_t count_ = 0, bytes_ = 0;  ///< of all
  batch batch_;                        ///< under way, or tried again
  std::size_t batch_count_ = 0, batch_bytes_ = 0;
  bool begun_ = false;     ///< it is under way
  unsigned failures_ = 0;  ///< of this batch
  time_point again_{};     ///< not before this
};

}  // namespace gate::outbox
