#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {

step_result<fact<stage::guard>> guard_step::run(fact<stage::authorize> call, desk& d) {
  auto& c = *call;
  if (c.route != route::upstream || c.ready) return pass(std::move(call), d);
  // An upstream that hangs must not gather calls without end.
  if (d.upstreams.crowded(c.upstream->index)) {
    auto why = unavailable_upstream(c.upstream->id, no_answer::crowded);
    return refused{std::move(call), std::move(why), {}};
  }
  c.question.per_minute = c.upstream->requests_per_minute;
  c.question.costs = d.upstreams.price(c);
  return pass(std::move(call), d);
}

step_result<fact<stage::guard>> guard_step::pass(in call, desk& d) {
  if (!call->inquiry) return fact<stage::guard>(std::move(call));
  d.inquiries.explain(std::move(call));  // it goes no further than to what would be charged
  return settled{};
}

}  // namespace gate::pipeline
