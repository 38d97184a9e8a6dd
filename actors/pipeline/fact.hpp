#pragma once
/// Type-state of the pipeline. `fact<S>` means: this call has passed stage S. Only the step of
/// stage S can make one, out of the fact of the stage before, and the next step asks for exactly
/// that type, so the order of the stages is checked by the compiler. It stays so where a call
/// waits: a step gives the fact that it was given to the parking place (parked.hpp), and nobody
/// else can give it back.
#include <optional>
#include <utility>
#include <variant>

#include "actors/pipeline/call.hpp"
#include "actors/pipeline/order.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/refusals.hpp"

namespace gate::pipeline {

struct host_step;
struct authenticate_step;
struct rate_limit_step;
struct route_step;
struct authorize_step;
struct guard_step;
struct proxy_step;
struct egress_step;

/// Who may state the fact.
template <stage S>
struct witness;
template <>
struct witness<stage::host> {
  using step = host_step;
};
template <>
struct witness<stage::authenticate> {
  using step = authenticate_step;
};
template <>
struct witness<stage::rate_limit> {
  using step = rate_limit_step;
};
template <>
struct witness<stage::route> {
  using step = route_step;
};
template <>
struct witness<stage::authorize> {
  using step = authorize_step;
};
template <>
struct witness<stage::guard> {
  using step = guard_step;
};
template <>
struct witness<stage::proxy> {
  using step = proxy_step;
};
template <>
struct witness<stage::egress> {
  using step = egress_step;
};

/// A call that INGRESS delivered and nothing has looked at.
class arrived {
 public:
  static arrived deliver(call_ptr c) { return arrived(std::move(c)); }
  call& operator*() const noexcept { return *call_; }
  call* operator->() const noexcept { return call_.get(); }

 private:
  template <stage>
  friend class fact;
  friend class refused;
  explicit arrived(call_ptr c) : call_(std::move(c)) {}
  call_ptr call_;
};

template <stage S>
class fact;

namespace detail {
template <stage S>
struct before {
  using fact = pipeline::fact<order[at(S) - 1].id>;
};
template <>
struct before<stage::host> {
  using fact = arrived;
};
}  // namespace detail

/// What stage S takes: the fact of the stage before it.
template <stage S>
using fact_before = typename detail::before<S>::fact;

/// Only the parking place has one: not even its step makes a fact of a bare call.
class has_waited {
  friend class parking;
  has_waited() = default;
};

template <stage S>
class fact {
 public:
  static constexpr stage passed = S;
  call& operator*() const noexcept { return *call_; }
  call* operator->() const noexcept { return call_.get(); }

 private:
  friend typename witness<S>::step;
  template <stage>
  friend class fact;
  friend class parking;
  friend class refused;
  friend struct exit_stage;
  /// Stage S has passed, too.
  explicit fact(fact_before<S>&& c) : call_(std::move(c.call_)) {}
  /// It has waited since it had passed stage S, says the parking place.
  fact(call_ptr c, has_waited) : call_(std::move(c)) {}
  call_ptr call_;
};

/// A call that goes no further, and why. One that is here is nobody's fact any more.
class refused {
 public:
  template <stage S>
  refused(fact<S> c, refusal why, std::string headers = {})
      : refused(std::move(c.call_), std::move(why), std::move(headers)) {}
  refused(arrived c, refusal why, std::string headers = {})
      : refused(std::move(c.call_), std::move(why), std::move(headers)) {}
  refused(call_ptr c, refusal why, std::string headers = {})
      : call(std::move(c)), why(std::move(why)), headers(std::move(headers)) {}

  call_ptr call;
  refusal why;
  std::string headers;  ///< further response headers, such as Allow
};

/// The end of a call for a reason that the gateway has itself, told to the client in these words.
template <class Held>
refused refuse(Held c, reason why, std::string message, std::string headers = {}) {
  return {std::move(c), {why, std::move(message), {}, -1}, std::move(headers)};
}

/// Refused by a rule of MCP over HTTP.
template <class Held>
refused refuse_by(Held c, mcp::http_refusal no) {
  return {std::move(c), {no.why, std::move(no.message), {}, -1}, std::move(no.headers)};
}

/// The call has ended in this stage, or waits (parked.hpp) for somebody's answer.
struct settled {};

/// What a step returns.
template <class Next>
using step_result = std::variant<Next, refused, settled>;

}  // namespace gate::pipeline
