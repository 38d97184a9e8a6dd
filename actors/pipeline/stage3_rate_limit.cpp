#include "actors/pipeline/steps.hpp"
#include "protocol/http/response_lines.hpp"

namespace gate::pipeline {
namespace {

std::string whose(scope s, const identity::access& who) {
  switch (s) {
    case scope::tenant:
      return "of tenant \"" + who.tenant + "\"";
    case scope::principal:
      return "of this principal";
    default:
      return "of the gateway";
  }
}

}  // namespace

step_result<fact<stage::rate_limit>> rate_limit_step::run(fact<stage::authenticate> c, desk& d) {
  if (!c->metered) {
    c->metered = true;
    // (A copy: `c` may go.)
    if (const auto scopes = c->access()->counted_in; scopes && d.entrance.meter(c, scopes))
      return settled{};
  }
  return fact<stage::rate_limit>(std::move(c));
}

step_result<fact<stage::rate_limit>> rate_limit_step::resume(fact<stage::authenticate> c,
                                                             const admitted& m) {
  if (m.yes) return fact<stage::rate_limit>(std::move(c));
  refusal why{reason::rate_limited,
              "the rate limit " + whose(m.refused_by, *c->access()) + " is exceeded; retry in " +
                  std::to_string(m.retry_after.count()) + "s",
              {},
              std::chrono::milliseconds(m.retry_after).count()};
  return refused{std::move(c), std::move(why), http::retry_after(m.retry_after)};
}

}  // namespace gate::pipeline
