#include "actors/pipeline/steps.hpp"
#include "protocol/mcp/http_rules.hpp"

namespace gate::pipeline {

refused flawed(fact<stage::host> c) {
  auto no = mcp::flawed(c->request().flaw, mcp::program::gate);
  return refuse_by(std::move(c), std::move(no));
}

step_result<fact<stage::host>> host_step::run(arrived call, desk& d) {
  const auto& request = call->request();
  if (auto no =
          mcp::check_arrival(*request.head, request.flaw, &d.entrance.hosts(), mcp::program::gate))
    return refuse_by(std::move(call), std::move(*no));
  return fact<stage::host>(std::move(call));
}

}  // namespace gate::pipeline
