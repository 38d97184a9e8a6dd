#pragma once
/// The chain of the nine stages. Its type says the order; `static_assert`s hold it against
/// order.hpp.
#include <type_traits>

#include "actors/pipeline/stage9_audit.hpp"
#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {

template <class First, class... Rest>
struct chain {
  /// Runs `First` and, as long as facts come out, everything after it.
  static void run(typename First::in in, desk& d) { go_on(First::run(std::move(in), d), d); }

  /// Goes on after `First`, whose answer came later.
  static void go_on(step_result<typename First::out> r, desk& d) {
    if (auto* refusal = std::get_if<refused>(&r)) return exit_stage::refuse(std::move(*refusal), d);
    auto* fact = std::get_if<typename First::out>(&r);
    if (!fact) return;  // settled
    if constexpr (sizeof...(Rest) == 0) {
      exit_stage::deliver(std::move(*fact), d);
    } else {
      chain<Rest...>::run(std::move(*fact), d);
    }
  }

  template <class Step>
  static void resume_after(step_result<typename Step::out> r, desk& d) {
    if constexpr (std::is_same_v<Step, First>)
      go_on(std::move(r), d);
    else
      chain<Rest...>::template resume_after<Step>(std::move(r), d);
  }
};

namespace detail {
template <class A>
consteval bool ordered() {
  return true;
}
template <class A, class B, class... Rest>
consteval bool ordered() {
  static_assert(std::is_same_v<typename A::out, typename B::in>,
                "a stage does not feed the next one");
  static_assert(at(A::id) + 1 == at(B::id), "the steps disagree with order.hpp");
  return ordered<B, Rest...>();
}
template <class... Steps>
consteval bool complete() {
  static_assert(sizeof...(Steps) + 1 == order.size(), "a stage of order.hpp has no step");
  return ordered<Steps...>();
}
}  // namespace detail

/// Stage 1 stands alone as well: every other endpoint is a prefix of the pipeline.
using mcp_stages = chain<authenticate_step, rate_limit_step, route_step, authorize_step, guard_step,
                         proxy_step, egress_step>;

static_assert(detail::complete<host_step, authenticate_step, rate_limit_step, route_step,
                               authorize_step, guard_step, proxy_step, egress_step>());

}  // namespace gate::pipeline
