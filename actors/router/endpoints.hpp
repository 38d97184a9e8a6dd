#pragma once
/// What serves the endpoints beside MCP, which are rows of protocol/endpoints.hpp: a function an
/// endpoint. They stand behind stage 1, and leave by stage 9. Part of ROUTER.
#include <string>
#include <string_view>

#include "actors/router/inquiries.hpp"
#include "protocol/endpoints.hpp"

namespace gate::routing {

class endpoints {
 public:
  endpoints(unit& u, identity::authority_ptr authority, identity::gatekeeper& keeper,
            wall_clock wall);

  /// Whatever is not MCP; again, when a body has come that was waited for.
  void serve(pipeline::fact<pipeline::stage::host> call);
  /// MINT has answered; and HEALTH.
  void on_redeemed(const redeemed& m);
  void on_health(std::uint64_t number, const health_report& r);
  /// What is asked by viewers.
  inquiries& of_viewers() { return inquiries_; }

 private:
  /// One a row, each in endpoints.cpp: a row without is not linked.
  template <endpoint>
  void answer(pipeline::fact<pipeline::stage::host> call);
  using handler = void (endpoints::*)(pipeline::fact<pipeline::stage::host>);
  static handler handler_of(endpoint e);

  bool is_there(const endpoint_row& e, std::string_view path) const;
  /// Has it pass the stages that MCP's requests pass; then `inquiries` answers.
  void ask(const endpoint_row& e, pipeline::fact<pipeline::stage::host> call);

  unit& unit_;
  identity::authority_ptr authority_;
  std::string auth_hint_;
  inquiries inquiries_;
};

}  // namespace gate::routing
