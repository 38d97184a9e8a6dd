#pragma once
/// What all replays of a unit hold together. When there is no room for one more event, those of the
/// replay that holds most go first, oldest first: whoever was first does not keep what is
/// everybody's, and one session alone can not push out what others keep. Pure; shared by the
/// replays themselves.
#include <chrono>
#include <cstddef>
#include <set>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::sse {

class replay;

class replay_pool {
 public:
  explicit replay_pool(std::size_t most = limits::replay_total) : most_(most) {}

  std::size_t bytes() const { return bytes_; }
  /// In all of them.
  void forget_before(std::chrono::steady_clock::time_point t);

 private:
  friend class replay;
  /// Replays whose sizes differ by less count as equal, so that not every event moves one.
  static constexpr std::size_t step = 4096;

  /// `cost` is at most what one replay may hold, which is less than all may.
  void make_room(std::size_t cost);
  /// What this one holds has changed.
  void settle(replay& r);
  void leave(replay& r);

  std::size_t most_;
  std::size_t bytes_ = 0;
  std::set<std::pair<std::size_t, replay*>> by_size_;  ///< those that know anything
};

}  // namespace gate::sse
