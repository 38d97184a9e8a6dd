#pragma once
/// What is said to the guards: RATE LIMITER, BUDGET, BREAKER and BALANCER. A stage asks one of them
/// once, with everything that it must decide together, so that a store that a fleet shares can take
/// an actor's place and costs one round trip a stage. Answers are one-way messages that carry the
/// question's number; whoever asks goes on by itself if the guard dies (decision 0004): as if it
/// had said yes, since a guard that crashed must not stop the traffic. The guards themselves are in
/// actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/document.hpp"

namespace gate {

/// Whose allowance.
enum class scope : std::uint8_t { server, tenant, principal, upstream };
struct scope_key {
  scope what = scope::server;
  std::string name;          ///< id of the tenant or the upstream; else empty
  std::uint64_t number = 0;  ///< `oauth::principal::key` of the principal; else 0
  bool operator==(const scope_key&) const = default;
};

struct allowance;
/// What one invocation of an upstream is charged to, made once for many calls.
using allowances_ptr = std::shared_ptr<const std::vector<allowance>>;
struct charged;

// --- RATE LIMITER, and BUDGET for the limits of upstreams ----------------------------------------

struct rate_scope {
  scope_key key;
  std::int64_t per_minute = 0;  ///< more than 0
};
/// What a request is counted in, made once for many requests; null: in nothing.
using rate_scopes_ptr = std::shared_ptr<const std::vector<rate_scope>>;
struct admitted {
  std::uint64_t number = 0;
  bool yes = true;
  scope refused_by = scope::server;     ///< the first scope, as asked, that has no room
  std::chrono::seconds retry_after{0};  ///< with a no: at least 1
  /// With a yes: what BUDGET has answered about the costs at once. Null: it is to be asked.
  std::shared_ptr<const charged> price{};
};
using admission_user = caf::typed_actor<caf::reacts_to<admitted>>;
/// May this request come in? All scopes or none are charged; what is refused is not counted.
struct admit {
  std::uint64_t number = 0;
  rate_scopes_ptr scopes;
  admission_user asker;
  /// To BUDGET: what the request is going to cost. If it has to ask a store it asks for both, and
  /// then neither is counted unless both are.
  allowances_ptr costs{};
};

// --- BUDGET --------------------------------------------------------------------------------------

struct allowance {
  scope_key key;
  config::budget_period period = config::budget_period::month;
  std::int64_t upstream_calls = 0;  ///< more than 0; the most within a period
};
struct charged {
  std::uint64_t number = 0;
  bool yes = true;
  // With a no: the first scope, as asked, that has nothing left.
  scope_key scope;
  std::int64_t used = 0, limit = 0;
  std::chrono::system_clock::time_point resets;
  // With a yes: what `refund` is to say.
  allowances_ptr paid;
  std::chrono::system_clock::time_point at;
};
using budget_user = caf::typed_actor<caf::reacts_to<charged>>;
/// One upstream invocation is about to be sent. All scopes or none are charged.
struct charge {
  std::uint64_t number = 0;
  allowances_ptr scopes;
  budget_user asker;
};
/// What was charged at this time was not sent after all. (In another period it is forgotten.)
struct refund {
  allowances_ptr scopes;
  std::chrono::system_clock::time_point at;
};

// --- how much is used ----------------------------------------------------------------------------

/// How much of these is used; nothing is counted or charged, and no store is asked: in a fleet it
/// is what this instance knows. To RATE LIMITER and BUDGET.
struct show_usage {
  rate_scopes_ptr scopes;  ///< null: none
  allowances_ptr costs;    ///< null: none
};
struct window_use {
  std::int64_t used = 0;
  std::chrono::milliseconds clears_in{0};  ///< until nothing of it counts any more
  std::chrono::seconds retry_after{0};     ///< until one more comes in; 0: now
};
struct budget_use {
  std::int64_t used = 0;
  std::chrono::system_clock::time_point resets;
};
/// In the order of the question.
struct usage_shown {
  std::vector<window_use> windows;
  std::vector<budget_use> budgets;
};
/// Limits and budgets, and how much of them is used. If nobody could be asked, `shown` is empty.
struct usage {
  rate_scopes_ptr scopes;
  allowances_ptr costs;
  usage_shown shown;
};

// --- BREAKER -------------------------------------------------------------------------------------

/// The values are those of gate_upstream_breaker_state.
enum class breaker_state : std::uint8_t { closed = 0, half_open = 1, open = 2 };

/// What BREAKER knows, told at every change and to whoever begins to listen.
struct breaker_told {
  std::size_t upstream = 0;
  breaker_state state = breaker_state::closed;
  /// No failure is counted: as long as that holds, successes need not be told.
  bool clean = true;
};
using breaker_listener = caf::typed_actor<caf::reacts_to<breaker_told>>;
struct listen_to_breaker {
  breaker_listener who;
};
/// To UPSTREAM: what it goes by; answered with `breaker_told`.
struct show_circuit {};

struct lease_told {
  std::uint64_t number = 0;
  /// Not 0: the request may go, as the probe, and its end is to be told with this number. (The
  /// circuit may have closed meanwhile; then the number is `not_leased`, and it goes as any other.)
  std::uint64_t lease = 0;
  static constexpr std::uint64_t not_leased = ~std::uint64_t{0};
};
using lease_user = caf::typed_actor<caf::reacts_to<lease_told>>;
/// The circuit is half open: may this request be the probe?
struct want_lease {
  std::uint64_t number = 0;
  lease_user asker;
  /// How long the request may last. A probe that has not told its end within `requestMs` is lost,
  /// unless it may last longer: then another one may try.
  std::chrono::milliseconds longest{0};
};

/// How a request of an upstream ended, for its breaker.
enum class verdict : std::uint8_t {
  success,  ///< it answered: a JSON-RPC error is an answer
  failure,  ///< connecting failed, no answer in time, or none that is one
  neutral,  ///< cancelled, refused by a limit, a budget or for want of a credential, or as busy
};
struct request_ended {
  verdict how = verdict::neutral;
  std::uint64_t lease = 0;  ///< 0: it had none
};
/// A sign of life, though no request of anybody: a handshake or a probe succeeded.
struct upstream_reached {};

// --- BALANCER ------------------------------------------------------------------------------------

struct endpoint_picked {
  std::uint64_t number = 0;
  std::size_t endpoint = 0;
};
using endpoint_user = caf::typed_actor<caf::reacts_to<endpoint_picked>>;
/// A session wants an endpoint to connect to.
struct pick_endpoint {
  std::uint64_t number = 0;
  std::vector<std::size_t> tried;  ///< in vain, for the same session: none of these, if possible
  endpoint_user asker;
};
/// Connecting to this endpoint failed, or the handshake with it: broken off, answered with a 5xx,
/// or not in time.
struct endpoint_failed {
  std::size_t endpoint = 0;
};
/// Which endpoints are in rotation; told at every change and to whoever begins to listen.
struct endpoints_told {
  std::size_t upstream = 0;
  std::vector<bool> healthy;
};
using endpoints_listener = caf::typed_actor<caf::reacts_to<endpoints_told>>;
struct listen_to_endpoints {
  endpoints_listener who;
};
/// An active probe of one endpoint has ended.
struct endpoint_probed {
  std::uint64_t round = 0;
  std::size_t endpoint = 0;
  bool connected = false;
  std::string error;
};
using endpoint_prober = caf::typed_actor<caf::reacts_to<endpoint_probed>>;
/// Do a full handshake with this endpoint in a session of its own, end that, tell how it went.
struct probe_endpoint {
  std::uint64_t round = 0;
  std::size_t endpoint = 0;
  endpoint_prober asker;
};
/// What BALANCER knows of UPSTREAM.
using endpoint_probes = caf::typed_actor<caf::reacts_to<probe_endpoint>>;
/// Whom to ask for probes from now on; null: nobody at the moment.
struct probe_with {
  endpoint_probes who;
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::admitted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::admit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::charged)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::charge)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::refund)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::show_usage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::usage_shown)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::show_circuit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::breaker_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::listen_to_breaker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::lease_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::want_lease)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::request_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream_reached)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::endpoint_picked)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::pick_endpoint)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::endpoint_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::endpoints_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::listen_to_endpoints)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::endpoint_probed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::probe_endpoint)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::probe_with)
