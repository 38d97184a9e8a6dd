#pragma once
/// Which replica of an upstream a new session connects to: in turn, those in rotation. One that can
/// not be reached is ejected and rests. Pure; part of BALANCER.
///
///   endpoint      connecting failed     a probe failed        a probe succeeded   its rest is over
///   in rotation   ejected: rests        ejected: rests long   in rotation         -
///   ejected       its rest begins anew  its long rest does    in rotation         in rotation
///
/// A rest is the breaker's `halfOpenAfterMs`. It ends by itself with active probes too, so that
/// nobody stays out because the probes have stopped; but the long one after a probe that failed
/// lasts until the next must have ended, so that it speaks first and no client has to find out.
///
///   asked for one, and in rotation   picked
///   are some that were not tried     the next of these, in turn
///   are only some that were tried    of the ejected ones that were not, the one whose last failure
///                                    is the longest ago
///   none was not tried               the same, as if none had been tried
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gate::guards {

class balancer {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;
  enum class change : std::uint8_t { none, ejected, restored };

  balancer(std::size_t endpoints, milliseconds rest, milliseconds long_rest);

  /// Lets time pass; returns those whose rest is over. To be called before all else.
  std::vector<std::size_t> pass(time_point now);
  change failed(std::size_t endpoint, time_point now) { return eject(endpoint, rest_, now); }
  change probed(std::size_t endpoint, bool connected, time_point now);
  std::size_t pick(const std::vector<std::size_t>& tried);

  /// When the next rest is over.
  std::optional<time_point> next() const;
  std::vector<bool> healthy() const;

 private:
  struct endpoint_state {
    bool ejected = false;
    time_point failed_at{}, until{};
  };
  change eject(std::size_t endpoint, milliseconds rest, time_point now);
  std::optional<std::size_t> find(const std::vector<std::size_t>& tried);

  milliseconds rest_, long_rest_;
  std::vector<endpoint_state> endpoints_;
  std::size_t turn_ = 0;
};

}  // namespace gate::guards
