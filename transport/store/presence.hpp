#pragma once
/// PRESENCE: is the shared store there, for all units of the process together? It is away as soon
/// as one unit's connection is gone, and has returned when all have theirs again: so the log says
/// each once, and the gauge has one value. Made with the store; told by the clients of the units.
/// Any thread.
#include <array>
#include <chrono>
#include <mutex>
#include <string>

#include "protocol/metrics.hpp"
#include "transport/metrics.hpp"

namespace gate::store {

class presence {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `place`: of the store, for the log.
  presence(std::string place, metrics::value up) : place_(std::move(place)), up_(std::move(up)) {}

  /// All units have got their connections, for the first time; one may have lost its again.
  void begin();
  /// One unit has lost its connection.
  void went(const std::string& why, time_point now);
  /// It has one again.
  void came(time_point now);
  /// The store refuses what it is asked; the log says it once a while, and not more often.
  void refused(store_op op, store_outcome how, const std::string& why, time_point now);

 private:
  std::mutex mutex_;
  std::string place_;
  metrics::value up_;
  std::size_t away_ = 0;  ///< units without a connection
  time_point since_{};
  std::array<time_point, store_outcomes.size()> said_{};
};

}  // namespace gate::store
