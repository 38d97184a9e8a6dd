#include "actors/router/entrance.hpp"

#include "actors/router/chain.hpp"
#include "actors/router/endpoints.hpp"

namespace gate::routing {

using namespace pipeline;

entrance::entrance(unit& u, client_streams& streams, endpoints& beside,
                   identity::authority_ptr authority, wall_clock wall, metrics& counters)
    : unit_(u),
      beside_(beside),
      hosts_(u.snapshot->doc.server.allowed_hosts),
      keeper_(authority),
      wall_(std::move(wall)),
      ambiguous_(counters.get(metric::tenant_ambiguous)),
      keys_(u, keeper_, streams, authority->sources.size()),
      bodies_(u) {}

void entrance::take_in(exchange_ptr from, bool of_a_batch, bool metered) {
  if (const auto& way = from->request().on_its_way) way->arrive();
  auto c =
      std::make_unique<call>(std::move(from), unit_.desk.exit.door(), unit_.snapshot, unit_.now());
  c->of_a_batch = of_a_batch;
  c->metered = metered;
  const bool is_mcp = c->request().path() == unit_.snapshot->doc.server.mcp_path;
  auto r = host_step::run(arrived::deliver(std::move(c)), unit_.desk);
  if (auto* no = std::get_if<refused>(&r)) return exit_stage::refuse(std::move(*no), unit_.desk);
  auto& hosted = std::get<fact<stage::host>>(r);
  if (is_mcp)
    mcp_stages::run(std::move(hosted), unit_.desk);
  else
    beside_.serve(std::move(hosted));
}

bool entrance::meter(fact<stage::authenticate>& c, const rate_scopes_ptr& scopes) {
  if (!unit_.partners.has_limiter()) return false;
  unit_.partners.meter(unit_.calls.put_aside(std::move(c), {partner::limiter}), scopes);
  return true;
}

void entrance::on_admitted(const admitted& m) {
  go_on_admitted(unit_, m);
}

void entrance::on_body_read(std::uint64_t exchange) {
  auto c = bodies_.take(exchange);
  if (!c) return;
  renew(**c, unit_, keeper_);
  // Who calls is known behind stage 2, and nowhere else: the token endpoint has no such stage.
  if ((*c)->access()) return mcp_stages::run(std::move(*c), unit_.desk);
  if ((*c)->request().flaw != http::defect::none)
    return exit_stage::refuse(flawed(std::move(*c)), unit_.desk);
  beside_.serve(std::move(*c));
}

}  // namespace gate::routing
