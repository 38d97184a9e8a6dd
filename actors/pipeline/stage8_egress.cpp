#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {

step_result<fact<stage::egress>> egress_step::run(fact<stage::proxy> call, desk&) {
  // List pages were filtered for this caller's view and renamed when they were merged
  // (federation/view_list.cpp), and are kept like that; results pass verbatim.
  return fact<stage::egress>(std::move(call));
}

}  // namespace gate::pipeline
