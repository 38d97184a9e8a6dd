#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {

step_result<fact<stage::guard>> guard_step::run(fact<stage::authorize> call, desk&) {
  // Passes everything: upstream rate limits, breakers and budgets are refused at boot by this
  // build. (The request timeout is UPSTREAM SESSION's.)
  return fact<stage::guard>(std::move(call).take());
}

}  // namespace gate::pipeline
