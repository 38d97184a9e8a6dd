#pragma once
/// What the world is told of a circuit: the log, the gauge, and those that listen. Pure but for the
/// log; part of BREAKER, whoever decides.
#include <string>
#include <vector>

#include "actors/guards/breaker.hpp"
#include "transport/metrics.hpp"

namespace gate::guards {

struct breaker_parts {
  std::size_t index = 0;  ///< of the upstream
  std::string id;         ///< of the upstream, for the log
  config::circuit_breaker settings;
  /// How long a probe may take that does not say that it may last longer: `requestMs`.
  std::chrono::milliseconds request{0};
  metrics::value state;  ///< gate_upstream_breaker_state
  labelled<circuit> transitions{};
};

class breaker_news {
 public:
  explicit breaker_news(breaker_parts parts);

  const breaker_parts& parts() const { return parts_; }
  const breaker_told& told() const { return told_; }
  const std::vector<breaker_listener>& listeners() const { return listeners_; }

  /// That is so now: writes what changed into the log and the gauge. True: listeners are to be
  /// told.
  bool turn(breaker_state state, bool clean, breaker::cause why, std::int64_t failures);
  /// True: it did not listen before, and is to be watched.
  bool listen(breaker_listener who);
  void forget(const caf::actor_addr& who);
  /// Nobody listens any more.
  std::vector<breaker_listener> end() { return std::exchange(listeners_, {}); }

 private:
  void log_change(breaker_state before, breaker::cause why, std::int64_t failures) const;

  breaker_parts parts_;
  breaker_told told_;
  std::vector<breaker_listener> listeners_;
};

}  // namespace gate::guards
