#pragma once
/// What may be used once only, and has been: keys with the time when they may be forgotten.
/// Bounded: what has not expired is never forgotten, so a full ledger takes nothing new. Pure; part
/// of ONCE LEDGER.
#include <chrono>
#include <cstddef>
#include <queue>
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
    order_.push({until, key});
    return answer::first;
  }
  bool knows(const std::string& key, time_point now) {
    forget(now);
    return known_.contains(key);
  }
  std::size_t size() const { return known_.size(); }

 private:
  void forget(time_point now) {
    for (; !order_.empty() && order_.top().until <= now; order_.pop())
      known_.erase(order_.top().key);
  }

  struct record {
    time_point until;
    std::string key;
    bool operator<(const record& other) const { return until > other.until; }  // earliest on top
  };
  std::size_t most_;
  std::unordered_set<std::string> known_;
  std::priority_queue<record> order_;
};

}  // namespace gate::fleet
