#pragma once
/// The endpoints beside MCP. They stand behind stage 1, and leave by stage 9. Part of ROUTER.
#include <memory>
#include <string>
#include <string_view>

#include "actors/router/unit.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class endpoints {
 public:
  endpoints(unit& u, identity::authority_ptr authority, std::shared_ptr<gate::metrics> counters)
      : unit_(u), authority_(std::move(authority)), metrics_(std::move(counters)) {}

  void serve(pipeline::fact<pipeline::stage::host> call);
  /// The token endpoint: an assertion for an access token.
  void redeem(pipeline::fact<pipeline::stage::host> call);
  /// MINT has answered; and HEALTH.
  void on_redeemed(const redeemed& m);
  void on_health(std::uint64_t number, const health_report& r);

 private:
  void serve_health(pipeline::fact<pipeline::stage::host> call);
  const std::string* published(std::string_view path) const;

  unit& unit_;
  identity::authority_ptr authority_;
  std::shared_ptr<gate::metrics> metrics_;
};

}  // namespace gate::routing
