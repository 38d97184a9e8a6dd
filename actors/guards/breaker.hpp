#pragma once
/// The circuit breaker of one upstream: after so many failures in a row nobody is let through for a
/// while; then one request at a time is let through as a probe, by a lease. Pure; part of BREAKER.
///
///   state      what happens                              then
///   closed     success, or the last of few failures      closed; a success forgets the failures
///              `failure_threshold` failures in a row     open
///              neutral                                   closed
///              a lease is wanted                         `not_leased`: it goes as any other
///   open       any result                                open: ignored, it began before
///              a lease is wanted                         open: refused
///              `half_open_after` has passed              half open, the lease is free
///              a sign of life (probe, handshake)         half open, the lease is free
///   half open  a lease is wanted, and it is free         half open, leased for `request`
///              a lease is wanted, and it is not          half open: refused
///              the lease's request: success              closed, without failures
///              the lease's request: failure              open
///              the lease's request: neutral              half open, the lease is free again
///              the lease's time is over                  open: its probe was lost; or, if the
///                                                        request may lawfully last longer: half
///                                                        open, the lease is free again
///              any other result                          half open: ignored
///
/// A sign of life changes nothing in the other states, and that there was none changes nothing in
/// any: only requests fail. The result of a lease that is not the latest is ignored in all states.
/// Whoever owns a breaker calls `pass` when `next` says so; each question lets time pass too,
/// before all else.
#include <cstdint>
#include <optional>

#include "actors/messages/guards.hpp"

namespace gate::guards {

class breaker {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Why it opened.
  enum class cause : std::uint8_t { failures, probe_failed, probe_lost };

  /// Leases are numbered from `first_lease`: the breaker that follows after a crash must not give
  /// the numbers of this one.
  breaker(const config::circuit_breaker& settings, std::chrono::milliseconds request,
          std::uint64_t first_lease);

  /// As somebody else has left it. (Not a lease: whoever has that does not answer to this one.)
  void take_over(breaker_state state, std::int64_t failures, time_point now);

  void pass(time_point now);
  void ended(verdict how, std::uint64_t lease, time_point now);
  /// A probe or a handshake succeeded.
  void reached(time_point now);
  /// As `lease_told::lease`. `longest`: how long the request that wants it may last.
  std::uint64_t lease(time_point now, std::chrono::milliseconds longest = {});

  breaker_state state() const { return state_; }
  /// Closed, and no failure is counted.
  bool clean() const { return state_ == breaker_state::closed && failures_ == 0; }
  /// In a row, when it was last closed.
  std::int64_t failures() const { return failures_; }
  cause why() const { return why_; }
  /// When something happens by itself.
  std::optional<time_point> next() const { return until_; }

 private:
  void open(cause why, time_point now);
  void half_open();
  void close();

  std::int64_t failure_threshold_;
  std::chrono::milliseconds half_open_after_, request_;
  breaker_state state_ = breaker_state::closed;
  std::int64_t failures_ = 0;
  cause why_ = cause::failures;
  std::uint64_t lease_ = 0;  ///< 0: it is free
  std::uint64_t next_lease_;
  bool patient_ = false;             ///< who has the lease may outlast it
  std::optional<time_point> until_;  ///< of being open, or of the lease
};

}  // namespace gate::guards
