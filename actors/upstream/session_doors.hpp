#pragma once
/// THE DOORS OF A SESSION: all that UPSTREAM SESSION's core does to the world, and where its time
/// comes from. UPSTREAM SESSION's actor performs each; tests write them down.
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/interfaces.hpp"
#include "protocol/metrics.hpp"
#include "transport/log.hpp"

namespace gate::upstream {

/// How a request to the upstream is counted.
using outcome = upstream_outcome;

class session_doors {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~session_doors() = default;

  virtual time_point now() const = 0;
  virtual std::chrono::system_clock::time_point wall() const = 0;
  /// A text that nobody can guess.
  virtual std::string secret_name() const = 0;
  /// Of the process's environment.
  virtual std::optional<std::string> secret(std::string_view name) const = 0;

  // To EGRESS.
  virtual void start(fetch_ptr what) = 0;
  virtual void abandon(std::uint64_t fetch) = 0;
  // To ROUTER.
  virtual void tell(answered m) = 0;
  virtual void tell(listed m) = 0;
  virtual void tell(call_notification m) = 0;
  virtual void tell(client_notification m) = 0;
  virtual void tell(server_request m) = 0;
  virtual void tell(server_request_cancelled m) = 0;
  virtual void tell(introduced m) = 0;
  virtual void tell(bridge_opened m) = 0;
  virtual void tell(list_changed m) = 0;
  virtual void tell(subscribed m) = 0;
  // To whoever wanted to know whether it works: HEALTH, BALANCER.
  virtual void tell(const probes_handle& who, probed m) = 0;
  virtual void tell(const endpoint_prober& who, endpoint_probed m) = 0;

  // To UPSTREAM: a tick at this time, instead of the one that was wanted before; that a session has
  // been idle for long; that its clients want to hear of other resources; and that what calls of
  // other sessions wait for is settled.
  virtual void wake_at(time_point at) = 0;
  virtual void idle(session_idle m) = 0;
  virtual void tell(watches_changed m) = 0;
  virtual void tell(tools_settled m) = 0;
  // To itself: `reopen` is to be called after this pause.
  virtual void reopen_after(std::chrono::nanoseconds pause) = 0;
  virtual void quit() = 0;

  // For the operator.
  virtual void log(log::level l, std::string_view sentence,
                   std::initializer_list<log::field> fields) = 0;
  virtual void count(outcome how) = 0;
  virtual void observe(std::chrono::duration<double> lasted) = 0;
};

/// Whom a session asks before it asks the upstream. Answers are events of the core.
class session_guards {
 public:
  virtual ~session_guards() = default;

  /// BUDGET; false: there is none, and nothing is charged.
  virtual bool charge(std::uint64_t number, const allowances_ptr& costs) = 0;
  virtual void refund(gate::refund what) = 0;
  /// BREAKER; false: there is none.
  virtual bool ended(verdict how) = 0;
  virtual void reached() = 0;
  /// BALANCER; false: there is none.
  virtual bool pick(std::uint64_t number, const std::vector<std::size_t>& tried) = 0;
  virtual void failed(std::size_t endpoint) = 0;
  /// CREDENTIALS; false: there is nobody to ask.
  virtual bool want_credential(const identity::caller_ptr& caller, const trace_ptr& trace) = 0;
  virtual void refused(credential_refused m) = 0;
};

}  // namespace gate::upstream
