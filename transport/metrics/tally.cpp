#include "transport/metrics/tally.hpp"

#include <algorithm>
#include <limits>

namespace gate {

/// Nobody else writes: no need to add in one step.
void tally::part::observe(double x) noexcept {
  const auto at = std::ranges::lower_bound(bounds_, x) - bounds_.begin();
  auto& count = counts_[static_cast<std::size_t>(at)];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  sum_.store(sum_.load(std::memory_order_relaxed) + x, std::memory_order_relaxed);
}

std::shared_ptr<tally::part> tally::add_part() {
  join_unused();
  return parts_.emplace_back(std::make_shared<part>(bounds_));
}

/// Who was the last to have such a part has written to it for the last time.
void tally::join_unused() {
  std::erase_if(parts_, [this](const std::shared_ptr<part>& p) {
    if (p.use_count() > 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += p->counts_[i];
    sum_ += p->sum_;
    return true;
  });
}

prometheus::ClientMetric::Histogram tally::collect() const {
  auto counts = counts_;
  prometheus::ClientMetric::Histogram out;
  out.sample_sum = sum_;
  for (const auto& p : parts_) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += p->counts_[i].load(std::memory_order_relaxed);
    out.sample_sum += p->sum_.load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i <= bounds_.size(); ++i) {
    out.sample_count += counts[i];
    const bool last = i == bounds_.size();
    out.bucket.push_back(
        {out.sample_count, last ? std::numeric_limits<double>::infinity() : bounds_[i]});
  }
  return out;
}

}  // namespace gate
