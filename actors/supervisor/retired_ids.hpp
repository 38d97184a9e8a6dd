#pragma once
/// Ids of upstreams that the configuration no longer has, and whose counters are still exposed: it
/// may be back soon, and a counter that vanished meanwhile would look like a reset. But a discovery
/// source may go on inventing ids, so there is a bound: the one that left first is forgotten. Pure;
/// part of GATEWAY.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::supervisor {

class retired_ids {
 public:
  explicit retired_ids(std::size_t most = limits::retired_upstreams) : most_(most) {}

  /// It has left. Returns whose series are to be removed now, if there are too many.
  std::optional<std::string> left(const std::string& id) {
    back(id);
    order_.emplace(next_, id);
    numbers_.emplace(id, next_++);
    if (order_.size() <= most_) return {};
    auto first = order_.extract(order_.begin());
    numbers_.erase(first.mapped());
    return std::move(first.mapped());
  }

  /// The configuration has it again.
  void back(const std::string& id) {
    const auto it = numbers_.find(id);
    if (it == numbers_.end()) return;
    order_.erase(it->second);
    numbers_.erase(it);
  }

  std::size_t size() const { return order_.size(); }

 private:
  std::size_t most_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::string> order_;    ///< as they left
  std::map<std::string, std::uint64_t> numbers_;  ///< into `order_`
};

}  // namespace gate::supervisor
