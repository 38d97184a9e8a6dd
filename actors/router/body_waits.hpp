#pragma once
/// Calls whose header has passed, and whose body is being read. Each is asked for once, under the
/// number of its exchange, and found again when the body is there or its client is gone. Pure; part
/// of ROUTER. Its bound is that of client connections, each of which has one request at a time.
#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gate {

class body_waits {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  struct wait {
    std::uint64_t call = 0;
    time_point since;
  };

  void add(std::uint64_t exchange, std::uint64_t call, time_point now) {
    waits_[exchange] = {call, now};
  }
  /// Nothing: nobody waits (any more).
  std::optional<wait> take(std::uint64_t exchange) {
    const auto it = waits_.find(exchange);
    if (it == waits_.end()) return {};
    const auto out = it->second;
    waits_.erase(it);
    return out;
  }
  /// Of all exchanges.
  std::vector<std::uint64_t> all() const {
    std::vector<std::uint64_t> out;
    for (const auto& [exchange, wait] : waits_) out.push_back(exchange);
    return out;
  }
  std::size_t size() const { return waits_.size(); }

 private:
  std::unordered_map<std::uint64_t, wait> waits_;
};

}  // namespace gate
