#pragma once
/// What may be used once only, and has been: keys with the time when they may be forgotten.
/// Bounded: what has not expired is never forgotten, so a full ledger takes nothing new. Pure; part
/// of ONCE LEDGER.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::fleet {

class once_ledger {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class answer : std::uint8_t { first, known, full };

  explicit once_ledger(std::size_t most = limits::once_records) : most_(most) {}

  answer use(const std::string& key, time_point until, time_point now) {
    forget(now);
    if (known_.contains(key)) return answer::known;
    if (known_.size() >= most_) return answer::full;
    known_.insert(key);
    order_.push_back({until, key});
    std::push_heap(order_.begin(), order_.end());
    return answer::first;
  }
  bool knows(const std::string& key, time_point now) {
    forget(now);
    return known_.contains(key);
  }
  std::size_t size() const { return known_.size(); }
  /// `f(key, until)` for each.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& r : order_) f(r.key, r.until);
  }

 private:
  void forget(time_point now) {
    while (!order_.empty() && order_.front().until <= now) {
      known_.erase(order_.front().key);
      std::pop_heap(order_.begin(), order_.end());
      order_.pop_back();
    }
  }

  struct record {
    time_point until;
    std::string key;
    bool operator<(const record& other) const { return until > other.until; }  // earliest on top
  };
  std::size_t most_;
  std::unordered_set<std::string> known_;
  std::vector<record> order_;  ///< a heap, the earliest in front
};

}  // namespace gate::fleet
