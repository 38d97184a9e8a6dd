#include "actors/upstream/context.hpp"

namespace gate::upstream {

context_ptr make_context(const config::compiled_upstream& u, answers_actor router,
                         egress_actor egress, metrics& m, outside_world outside) {
  auto c = std::make_shared<context>();
  c->config = u;
  for (const auto& endpoint : u.endpoints) {
    auto to = std::make_shared<destination>();
    to->url = endpoint;
    to->connect_timeout = u.connect;
    to->max_response_bytes = u.max_response_bytes;
    to->share = u.id;
    c->to.push_back(std::move(to));
  }
  c->router = std::move(router);
  c->egress = std::move(egress);
  c->outside = std::move(outside);
  if (is_granted(u.auth.strategy)) {
    c->credential_ok = m.get(metric::credential_fetches, {u.id, "ok"});
    c->credential_error = m.get(metric::credential_fetches, {u.id, "error"});
  }
  c->ok = m.get(metric::upstream_requests, {u.id, "ok"});
  c->connect_error = m.get(metric::upstream_requests, {u.id, "connect_error"});
  c->error = m.get(metric::upstream_requests, {u.id, "error"});
  c->rate_limited = m.get(metric::upstream_requests, {u.id, "rate_limited"});
  c->circuit_open = m.get(metric::upstream_requests, {u.id, "circuit_open"});
  c->bridged = m.get(metric::sessions, {"bridged"});
  c->duration = m.get_histogram(metric::upstream_request_duration, {u.id});
  return c;
}

void forget_counters(metrics& m, std::string_view id) {
  for (const auto* outcome : {"ok", "connect_error", "error", "rate_limited", "circuit_open"})
    m.remove(metric::upstream_requests, {id, outcome});
  for (const auto* outcome : {"ok", "error"}) m.remove(metric::credential_fetches, {id, outcome});
  m.remove(metric::upstream_request_duration, {id});
}

}  // namespace gate::upstream
