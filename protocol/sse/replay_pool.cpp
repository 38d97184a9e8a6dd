#include "protocol/sse/replay_pool.hpp"

#include <vector>

#include "protocol/sse/replay.hpp"

namespace gate::sse {

void replay_pool::make_room(std::size_t cost) {
  while (bytes_ + cost > most_ && !by_size_.empty()) {
    auto& largest = *by_size_.rbegin()->second;
    if (largest.events_.empty()) return;  // then there is nothing in any other either
    largest.drop_oldest();
    settle(largest);
  }
}

void replay_pool::settle(replay& r) {
  if (r.empty()) return leave(r);
  const auto rank = r.bytes_ ? r.bytes_ / step + 1 : 0;
  if (r.rank_ == rank) return;
  leave(r);
  r.rank_ = rank;
  by_size_.emplace(rank, &r);
}

void replay_pool::leave(replay& r) {
  if (r.rank_) by_size_.erase({*r.rank_, &r});
  r.rank_.reset();
}

void replay_pool::forget_before(std::chrono::steady_clock::time_point t) {
  std::vector<replay*> all;
  all.reserve(by_size_.size());
  for (const auto& [size, r] : by_size_) all.push_back(r);
  for (auto* r : all) r->forget_before(t);
}

}  // namespace gate::sse
