#pragma once
/// How far this process's clock is from the database's. Leases end by the database's clock, which
/// is one for all instances: whoever has a wrong clock takes no lease away from others, and keeps
/// none for longer. What is due is by the clock of whoever asks.
///
/// One for all connections of a house. Each look has the length of its way in it, so looks are
/// rare, and smaller differences than that stay what they were.
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "protocol/webhook/records.hpp"
#include "transport/postgres/libpq.hpp"

namespace gate::postgres {

class clock {
 public:
  using wall = std::function<webhook::wall_time()>;
  explicit clock(wall of_ours) : wall_(std::move(of_ours)) {}

  /// Milliseconds to add to a time of ours. Asks the database now and then.
  std::int64_t ahead(connection& db);

 private:
  const wall wall_;
  std::mutex mutex_;
  std::int64_t ahead_ = 0;
  std::optional<std::chrono::steady_clock::time_point> looked_;
};

}  // namespace gate::postgres
