#include "actors/outbox/queue.hpp"

#include <algorithm>
#include <utility>

namespace gate::outbox {

std::size_t queue::put(item it, time_point now, std::size_t count) {
  const auto size = it->size();
  if (batch_count_ + count > bounds_.items || batch_bytes_ + size > bounds_.bytes) return count;
  std::size_t dropped = 0;
  while (count_ + count > bounds_.items || bytes_ + size > bounds_.bytes) {
    bytes_ -= waiting_.front().it->size();
    count_ -= waiting_.front().count;
    dropped += waiting_.front().count;
    waiting_.pop_front();
  }
  bytes_ += size;
  count_ += count;
  waiting_.push_back({std::move(it), count, now});
  return dropped;
}

const queue::batch& queue::begin(time_point now) {
  static const batch none;
  if (begun_ || due() > now) return none;
  while (failures_ == 0 && !waiting_.empty() &&
         (batch_.empty() || batch_count_ + waiting_.front().count <= bounds_.batch)) {
    batch_count_ += waiting_.front().count;
    batch_bytes_ += waiting_.front().it->size();
    batch_.push_back(std::move(waiting_.front().it));
    waiting_.pop_front();
  }
  begun_ = true;
  return batch_;
}

void queue::taken() {
  begun_ = false;
  failures_ = 0;
  count_ -= std::exchange(batch_count_, 0);
  bytes_ -= std::exchange(batch_bytes_, 0);
  batch_.clear();
}

std::size_t queue::failed(time_point now, double spread, std::chrono::milliseconds at_least) {
  begun_ = false;
  if (++failures_ >= bounds_.attempts) return refused();
  const auto pause = bounds_.pause * (1U << (failures_ - 1));
  const auto drawn = std::chrono::duration_cast<std::chrono::milliseconds>(pause * (0.5 + spread));
  again_ = now + std::max(drawn, at_least);
  return 0;
}

std::size_t queue::refused() {
  const auto lost = batch_count_;
  taken();
  return lost;
}

time_point queue::due() const {
  if (begun_) return never;
  if (!batch_.empty()) return again_;
  if (waiting_.empty()) return never;
  if (count_ >= bounds_.batch) return waiting_.front().since;
  return waiting_.front().since + bounds_.gather;
}

std::size_t queue::give_up() {
  const auto lost = size();
  waiting_.clear();
  taken();
  count_ = bytes_ = 0;
  return lost;
}

}  // namespace gate::outbox
