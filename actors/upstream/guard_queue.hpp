#pragma once
/// Stage 6 of the pipeline, as UPSTREAM has it: calls and lists pass BUDGET, which knows the
/// upstream's limit, then BREAKER, before a session gets them. Where no limit is configured and the
/// circuit is closed nobody is asked.
///
///   a request is at      it goes on when           it is refused when       if that one crashes
///   BUDGET               admitted                  there is no room         as admitted
///   BREAKER, closed      at once                   -                        -
///   BREAKER, half open   leased, or closed again   somebody else has it     as closed
///   BREAKER, open        -                         at once                  as closed
///
/// What waits is parked here (`limits::upstream_parked`), where a cancellation finds it. An end of
/// its client's session takes it along, unless the client only has nothing more to do here: then
/// that session ends after it. Pure; part of UPSTREAM.
#include <set>
#include <variant>

#include "actors/messages.hpp"
#include "actors/upstream/facts.hpp"
#include "actors/upstream/lease.hpp"
#include "actors/upstream/numbered_queue.hpp"
#include "actors/upstream/prepaid.hpp"
#include "protocol/metrics.hpp"

namespace gate::upstream {

/// Whom UPSTREAM asks for its requests. Answers come back as events of the queue.
class request_guards {
 public:
  enum class station : std::uint8_t { budget, breaker };

  virtual ~request_guards() = default;
  /// Is there somebody to ask?
  virtual bool has(station whom) const = 0;
  virtual void want_admission(std::uint64_t number, rate_scopes_ptr scopes,
                              allowances_ptr costs) = 0;
  virtual void want_lease(std::uint64_t number, std::chrono::milliseconds longest) = 0;
  /// BREAKER's latest word.
  virtual breaker_state circuit() const = 0;
};

class guard_queue {
 public:
  using station = request_guards::station;
  using refusal_ptr = std::shared_ptr<const refusal>;

  class doors {
   public:
    virtual ~doors() = default;
    virtual void pass_on(invoke& m) = 0;
    virtual void pass_on(fetch_list& m) = 0;
    /// Null: there is no room for it, or UPSTREAM is about to end.
    virtual void refuse(const invoke& m, refusal_ptr why) = 0;
    virtual void refuse(const fetch_list& m, refusal_ptr why) = 0;
    virtual void count(upstream_outcome how) = 0;
    /// Nothing is parked (any more) for this client, whose session is to end.
    virtual void end_session(std::uint64_t client, close_session how) = 0;
    /// Nothing is parked any more.
    virtual void emptied() = 0;
  };

  guard_queue(const facts& of, request_guards& guards, doors& to)
      : of_(of), guards_(guards), to_(to) {}

  /// `invoke`, or `fetch_list`.
  template <class Request>
  void enter(Request& m);
  /// `price`: what was charged at once; given back with the last of whoever holds it.
  void on_admitted(const admitted& m, std::shared_ptr<prepaid> price);
  /// `lent`: the lease, given back likewise; null: it is none.
  void on_lease(const lease_told& m, std::shared_ptr<lease> lent);
  /// Whoever was asked there has crashed: it is taken to have agreed.
  void nobody_at(station at);

  /// ROUTER has answered it already.
  void cancel(const cancel_call& m);
  void client_left(const client_ended& m);
  /// Its session is wanted again.
  void client_back(std::uint64_t client) { leaving_.erase(client); }
  /// What is parked may be what its client's session begins with.
  void change_profile(const profile_changed& m);
  void refuse_all();
  void drop_all() { parked_.take_all(); }
  bool empty() const { return parked_.empty(); }

 private:
  struct parked {
    std::variant<invoke, fetch_list> what;
    station at = station::budget;
  };
  template <class Request>
  void at_breaker(Request& m);
  template <class Request>
  void park(Request& m, station at);
  void unparked();

  const facts& of_;
  request_guards& guards_;
  doors& to_;
  numbered_queue<parked> parked_;  ///< for a guard's answer
  /// Whose sessions end as soon as nothing is parked for them.
  std::set<std::uint64_t> leaving_;
  rate_scopes_ptr counted_in_;  ///< the upstream's own limit; null before it was asked about
  refusal_ptr circuit_open_;
};

}  // namespace gate::upstream
