#include "actors/upstream/context.hpp"

#include "actors/upstream/list_share.hpp"

namespace gate::upstream {

context_ptr make_context(const config::compiled_upstream& u, answers_handle router,
                         egress_handle egress, metrics& m, outside_world outside,
                         const store_handle& store, std::uint32_t store_database,
                         std::shared_ptr<tool_memory> tools) {
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
  if (list_share::fits(u)) c->store = store;
  c->store_database = store_database;
  c->outside = std::move(outside);
  c->tools = std::move(tools);
  if (is_granted(u.auth.strategy)) c->credential_fetches = {m, metric::credential_fetches, u.id};
  c->requests = {m, metric::upstream_requests, u.id};
  c->bridged = m.get(metric::sessions, {to_string(session_kind::bridged)});
  c->sessions = {m, metric::upstream_sessions, u.id};
  c->duration = m.get_histogram(metric::upstream_request_duration, {u.id});
  return c;
}

void forget_counters(metrics& m, std::string_view id) {
  for (const auto outcome : upstream_outcomes) m.remove(metric::upstream_requests, {id, outcome});
  for (const auto outcome : fetch_outcomes) m.remove(metric::credential_fetches, {id, outcome});
  for (const auto state : circuits) m.remove(metric::breaker_transitions, {id, state});
  m.remove(metric::upstream_request_duration, {id});
}

}  // namespace gate::upstream
