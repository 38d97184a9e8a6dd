#include "actors/router/chain.hpp"

#include "protocol/http/response_lines.hpp"

namespace gate::routing {

using namespace pipeline;

void go_on_routing(unit& u, std::uint64_t number) {
  auto c = u.calls.take<stage::rate_limit>(number);
  if (!c) return;
  (*c)->session->remove_call(number);
  mcp_stages::resume_after<route_step>(route_step::resume(std::move(*c), u.desk), u.desk);
}

void go_on_with_list(unit& u, std::uint64_t number, list_outcome outcome) {
  if (auto c = u.calls.take<stage::guard>(number))
    mcp_stages::resume_after<proxy_step>(proxy_step::resume_list(std::move(*c), std::move(outcome)),
                                         u.desk);
}

void go_on_asking(unit& u, std::uint64_t number) {
  auto c = u.calls.take<stage::guard>(number);
  if (!c) return;
  (*c)->session->remove_call(number);
  mcp_stages::resume_after<proxy_step>(proxy_step::resume_ask(std::move(*c), u.desk), u.desk);
}

void go_on_seeking(unit& u, std::uint64_t number) {
  auto c = u.calls.take<stage::rate_limit>(number);
  if (!c) return;
  renew(**c, u, u.desk.entrance.keeper());
  mcp_stages::resume_after<route_step>(route_step::resume(std::move(*c), u.desk), u.desk);
}

void go_on_opening(unit& u, std::uint64_t number) {
  auto c = u.calls.take<stage::guard>(number);
  if (!c) return;
  (*c)->session->remove_call(number);
  mcp_stages::resume_after<proxy_step>(proxy_step::resume_open(std::move(*c), u.desk), u.desk);
}

void go_on_admitted(unit& u, const admitted& m) {
  auto c = u.calls.take<stage::authenticate>(m.number);
  if (!c) return;  // let in when RATE LIMITER crashed
  renew(**c, u, u.desk.entrance.keeper());
  mcp_stages::resume_after<rate_limit_step>(rate_limit_step::resume(std::move(*c), m), u.desk);
}

void refuse_without(unit& u, std::uint64_t number, partner whom) {
  if (auto c = u.calls.end(number))
    exit_stage::refuse({std::move(c),
                        {reason::overloaded, std::string(row(whom).sentence), {}, -1},
                        std::string(http::retry_soon)},
                       u.desk);
}

}  // namespace gate::routing
