#pragma once
/// Type-state of the pipeline. `fact<S>` means: this call has passed stage S. Only the step of
/// stage S can make one, and the next step asks for exactly that type, so the order of the stages
/// is checked by the compiler.
#include <optional>
#include <utility>
#include <variant>

#include "actors/pipeline/call.hpp"
#include "actors/pipeline/order.hpp"
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

template <stage S>
class fact {
 public:
  static constexpr stage passed = S;
  call& operator*() const noexcept { return *call_; }
  call* operator->() const noexcept { return call_.get(); }
  /// Takes the call out: to park it, to refuse it, or to go on to the next stage.
  call_ptr take() && { return std::move(call_); }

 private:
  friend typename witness<S>::step;
  explicit fact(call_ptr c) : call_(std::move(c)) {}
  call_ptr call_;
};

/// A call that INGRESS delivered and nothing has looked at.
class arrived {
 public:
  explicit arrived(call_ptr c) : call_(std::move(c)) {}
  call* operator->() const noexcept { return call_.get(); }
  call_ptr take() && { return std::move(call_); }

 private:
  call_ptr call_;
};

/// A call that the stage refuses.
struct refused {
  call_ptr call;
  refusal why;
  std::string headers;  ///< further response headers, such as Allow
};
/// The call has ended in this stage, or waits in the ROUTER's table for somebody's answer.
struct settled {};

/// What a step returns.
template <class Next>
using step_result = std::variant<Next, refused, settled>;

}  // namespace gate::pipeline
