#include "actors/supervisor/spawner.hpp"

#include "actors/audit/audit_actor.hpp"
#include "actors/audit/line_sink_actor.hpp"
#include "actors/audit/webhook_sink_actor.hpp"
#include "actors/discovery/discovery_actor.hpp"
#include "actors/fleet/once_actor.hpp"
#include "actors/fleet/shared_breaker_actor.hpp"
#include "actors/fleet/shared_budget_actor.hpp"
#include "actors/fleet/shared_limiter_actor.hpp"
#include "actors/fleet/shared_tasks_actor.hpp"
#include "actors/guards/balancer_actor.hpp"
#include "actors/guards/budget_actor.hpp"
#include "actors/guards/circuit_breaker_actor.hpp"
#include "actors/guards/rate_limiter_actor.hpp"
#include "actors/identity/key_set_actor.hpp"
#include "actors/identity/mint_actor.hpp"
#include "actors/ops/activity_actor.hpp"
#include "actors/ops/health_actor.hpp"
#include "actors/reload/loader_actor.hpp"
#include "actors/router/router_actor.hpp"
#include "actors/tasks/tasks_actor.hpp"
#include "actors/traces/traces_actor.hpp"
#include "actors/upstream/upstream_actor.hpp"
#include "config/describe/field.hpp"

namespace gate::supervisor {

spawner::spawner(gateway_self& self, caf::execution_unit* here, gateway_parts& parts, staff& all,
                 children& kids, upstream_slots& slots, herald& news)
    : self_(self),
      here_(here),
      parts_(parts),
      staff_(all),
      children_(kids),
      slots_(slots),
      news_(news) {
  parts_.random(cursor_key_);
  parts_.random(state_key_);
}

template <class Handle>
Handle spawner::born(Handle made, const child& who) {
  children_.born(made.id(), who, self_.clock().now());
  return made;
}

void spawner::spawn_all() {
  const auto& identity = *parts_.authority;
  staff_.keys.resize(identity.sources.size());
  staff_.sinks.resize(parts_.places.size());
  complete_audit();
  if (parts_.snapshot->doc.tracing) spawn({role::traces});
  if (parts_.snapshot->doc.server.introspection.enabled) spawn({role::activity});
  for (const auto what : {role::limiter, role::budget, role::health, role::tasks}) spawn({what});
  for (std::size_t i = 0; i < staff_.keys.size(); ++i) spawn({role::keys, 0, i});
  if (identity.ema)
    for (const auto what : {role::once, role::mint}) spawn({what});
  staff_.routers.resize(parts_.units.size());
  for (const auto& u : parts_.units) staff_.thresholds.push_back(u.threshold);
  slots_.extend(parts_.snapshot->slots);
  for (const auto& u : parts_.snapshot->upstreams) slots_.open(u);
  for (std::size_t n = 0; n < parts_.units.size(); ++n) spawn({role::router, n});
  spawn({role::loader});
  if (parts_.snapshot->doc.discovery) spawn({role::discovery});
}

void spawner::spawn(const child& who) {
  switch (who.what) {
    case role::audit:
      spawn_audit();
      break;
    case role::sink:
      spawn_sink(who.index);
      break;
    case role::traces:
      spawn_traces();
      break;
    case role::activity:
      spawn_activity();
      break;
    case role::health:
      spawn_health();
      break;
    case role::tasks:
      spawn_tasks();
      break;
    case role::once:
      spawn_once();
      break;
    case role::mint:
      spawn_mint();
      break;
    case role::limiter:
      spawn_limiter();
      break;
    case role::budget:
      spawn_budget();
      break;
    case role::loader:
      spawn_loader();
      break;
    case role::discovery:
      spawn_discovery();
      break;
    case role::keys:
      spawn_keys(who.index);
      break;
    case role::router:
      spawn_router(who.unit);
      break;
    case role::upstream:  // with a new ROUTER come new upstreams
      if (staff_.routers[who.unit]) slots_.restart(who);
      return;
    case role::endpoint_check:  // BALANCER makes the next one
    case role::credentials:     // and so do UPSTREAM and the sessions themselves of these
    case role::root_session:
    case role::bridged_session:
    case role::gateway:
      return;
    case role::breaker:
    case role::balancer:
      return slots_.restart(who);
  }
  news_.announce(who);
}

// --- those that there is one of ------------------------------------------------------------------

void spawner::spawn_audit() {
  std::vector<audits::outlet> outlets;
  for (std::size_t i = 0; i < staff_.sinks.size(); ++i)
    outlets.push_back({staff_.sinks[i], losses_of(i)[audit_loss::overflow],
                       parts_.places[i].type == config::sink_type::webhook
                           ? audits::held_bounds{limits::outbox_items, limits::outbox_bytes}
                           : audits::held_bounds{}});
  staff_.audit =
      born(gate::audit_handle(self_.spawn<audits::audit_actor, caf::monitored>(std::move(outlets))),
           {role::audit});
}

void spawner::spawn_sink(std::size_t index) {
  const auto& place = parts_.places[index];
  auto made = place.type == config::sink_type::webhook
                  ? sink_handle(self_.spawn<audits::webhook_sink_actor, caf::monitored>(
                        here_, audits::webhook_parts{place.where, parts_.units.front().egress,
                                                     parts_.random, losses_of(index)}))
                  : sink_handle(self_.spawn<audits::line_sink_actor, caf::monitored>(
                        place.lines, losses_of(index)));
  staff_.sinks[index] = born(std::move(made), {role::sink, 0, index});
}

labelled<audit_loss> spawner::losses_of(std::size_t place) {
  return {*parts_.metrics, metric::audit_dropped, config::name_of(parts_.places[place].type)};
}

void spawner::complete_audit() {
  for (std::size_t i = 0; i < staff_.sinks.size(); ++i)
    if (!staff_.sinks[i]) spawn({role::sink, 0, i});
  if (!staff_.audit && !staff_.sinks.empty()) spawn({role::audit});
}

void spawner::spawn_traces() {
  const auto& section = *parts_.snapshot->doc.tracing;
  traces::traces_parts parts{traces::collector_of(section),
                             {section.service_name, GATE_VERSION},
                             parts_.units.front().egress,
                             parts_.wall,
                             parts_.random,
                             {*parts_.metrics, metric::trace_dropped}};
  staff_.traces = born(gate::traces_handle(self_.spawn<traces::traces_actor, caf::monitored>(
                           here_, std::move(parts))),
                       {role::traces});
}

void spawner::spawn_health() {
  ops::health_parts parts{parts_.units.front().store, parts_.metrics, parts_.wall};
  health_handle made;
  if (parts_.load_apart)
    made = self_.spawn<ops::health_actor, caf::monitored + caf::detached>(std::move(parts));
  else
    made = self_.spawn<ops::health_actor, caf::monitored>(std::move(parts));
  staff_.health = born(made, {role::health});
  if (last_sync) self_.send(staff_.health, *last_sync);
  if (staff_.routers.empty()) return;  // the first one, before there is anybody to tell
  self_.send(staff_.health, federation_update{parts_.snapshot, slots_.on_unit(0)});
  slots_.show_all_to_health();
}

void spawner::spawn_activity() {
  staff_.activity =
      born(activity_handle(self_.spawn<ops::activity_actor, caf::monitored>(parts_.wall)),
           {role::activity});
}

void spawner::spawn_tasks() {
  const auto& store = parts_.units.front().store;
  if (store && instance_.empty()) instance_ = fleet::name_of_a_life(parts_.random);
  auto made = store ? tasks_handle(self_.spawn<fleet::shared_tasks_actor, caf::monitored>(
                          here_, store, instance_))
                    : tasks_handle(self_.spawn<tasks::tasks_actor, caf::monitored>(here_));
  staff_.tasks = born(std::move(made), {role::tasks});
}

void spawner::spawn_once() {
  staff_.once = born(once_handle(self_.spawn<fleet::once_actor, caf::monitored>(
                         here_, parts_.units.front().store)),
                     {role::once});
}

void spawner::spawn_mint() {
  staff_.mint = born(self_.spawn<identity::mint_actor, caf::monitored>(
                         here_, identity::mint_parts{parts_.authority,
                                                     staff_.once,
                                                     parts_.wall,
                                                     parts_.random,
                                                     {*parts_.metrics, metric::token_requests}}),
                     {role::mint});
  const auto source = parts_.authority->idp_source;
  self_.send(staff_.mint, replaced<keys_handle>{staff_.keys[source], source});
}

void spawner::spawn_limiter() {
  const auto& store = parts_.units.front().store;
  auto made = store
                  ? rate_limiter_handle(
                        self_.spawn<fleet::shared_limiter_actor, caf::monitored>(here_, store))
                  : rate_limiter_handle(self_.spawn<guards::rate_limiter_actor, caf::monitored>());
  staff_.limiter = born(std::move(made), {role::limiter});
}

void spawner::spawn_budget() {
  // There from the start, though only a fleet that shares its state can add to it.
  const auto degraded = parts_.metrics->get(metric::budget_degraded);
  const auto& store = parts_.units.front().store;
  auto made = store ? budget_handle(self_.spawn<fleet::shared_budget_actor, caf::monitored>(
                          here_, fleet::shared_budget_parts{store, parts_.wall, degraded,
                                                            fleet::name_of_a_life(parts_.random)}))
                    : budget_handle(self_.spawn<guards::budget_actor, caf::monitored>(parts_.wall));
  staff_.budget = born(std::move(made), {role::budget});
}

void spawner::spawn_loader() {
  // What a LOADER that crashed has made, and nobody has seen, is forgotten.
  compiler_->follow(parts_.snapshot);
  reload::loader_parts parts{compiler_, parts_.read_config, caf::actor_cast<loading_user>(&self_)};
  loader_handle made;
  if (parts_.load_apart)
    made = self_.spawn<reload::loader_actor, caf::monitored + caf::detached>(std::move(parts));
  else
    made = self_.spawn<reload::loader_actor, caf::monitored>(std::move(parts));
  staff_.loader = born(made, {role::loader});
}

void spawner::spawn_discovery() {
  const auto& section = *parts_.snapshot->doc.discovery;
  discovery::discovery_parts parts{section,
                                   http::parse_url(section.url).value(),
                                   parts_.units.front().egress,
                                   parts_.secrets,
                                   caf::actor_cast<discovery_user>(&self_),
                                   discoveries_++ << 32,
                                   {*parts_.metrics, metric::discovery_syncs}};
  staff_.discovery =
      born(gate::discovery_handle(
               self_.spawn<discovery::discovery_actor, caf::monitored>(here_, std::move(parts))),
           {role::discovery});
}

// --- those that there are several of -------------------------------------------------------------

void spawner::spawn_keys(std::size_t source) {
  const auto& from = parts_.authority->sources[source];
  identity::key_set_parts parts{source,
                                from,
                                parts_.units.front().egress,
                                {*parts_.metrics, metric::key_set_fetches, from.issuer}};
  staff_.keys[source] = born(
      keys_handle(self_.spawn<identity::key_set_actor, caf::monitored>(here_, std::move(parts))),
      {role::keys, 0, source});
}

void spawner::spawn_router(std::size_t n) {
  const auto& doors = parts_.units[n];
  router_setup parts;
  parts.unit_number = static_cast<std::uint8_t>(n);
  parts.metrics = parts_.metrics;
  parts.audit = staff_.audit;
  parts.tracing = parts_.snapshot->doc.tracing;
  parts.traces = staff_.traces;
  parts.activity = staff_.activity;
  parts.recorder = doors.recorder;
  parts.health = staff_.health;
  parts.tasks = staff_.tasks;
  parts.task_units = doors.tasks;
  parts.wall = parts_.wall;
  parts.random = parts_.random;
  parts.cursor_key = cursor_key_;
  parts.state_key = state_key_;
  parts.authority = parts_.authority;
  parts.key_sources = staff_.keys;
  parts.mint = staff_.mint;
  parts.limiter = staff_.limiter;
  parts.budget = staff_.budget;
  parts.own_list_bytes = parts_.own_list_bytes;
  parts.store = doors.store;
  if (doors.store) parts.fleet = routing::fleet_settings{parts_.fleet_secret};
  parts.gateway = caf::actor_cast<departures_user>(&self_);
  auto& it = staff_.routers[n];
  it = born(router_handle(self_.spawn<router_actor, caf::monitored>(doors.unit, std::move(parts),
                                                                    parts_.snapshot)),
            {role::router, n});
  for (const auto& u : parts_.snapshot->upstreams) slots_.start(n, u.index);
  news_.announce(parts_.snapshot, n);
  self_.send(doors.ingress, serve{it});
}

// --- those of upstreams --------------------------------------------------------------------------

upstream_handle spawner::make_upstream(const child& who, const slot& of) {
  const auto& doors = parts_.units[who.unit];
  return born(
      upstream_handle(self_.spawn<upstream::upstream_actor, caf::monitored>(
          doors.unit,
          upstream::make_context(*of.config, staff_.routers[who.unit], doors.egress,
                                 *parts_.metrics, {parts_.secrets, parts_.wall, parts_.random},
                                 doors.store, parts_.store_database, of.tools[who.unit]),
          upstream::guard_set{staff_.budget, of.breaker, of.balancer})),
      who);
}

breaker_handle spawner::make_breaker(const child& who, const slot& of) {
  const auto& u = *of.config;
  guards::breaker_parts about{u.index,
                              u.id,
                              u.breaker,
                              u.request,
                              parts_.metrics->get(metric::upstream_breaker_state, {u.id}),
                              {*parts_.metrics, metric::breaker_transitions, u.id}};
  const auto& store = parts_.units.front().store;
  auto made = store ? breaker_handle(self_.spawn<fleet::shared_breaker_actor, caf::monitored>(
                          here_, std::move(about), store, parts_.store_database))
                    : breaker_handle(self_.spawn<guards::circuit_breaker_actor, caf::monitored>(
                          std::move(about)));
  return born(std::move(made), who);
}

balancer_handle spawner::make_balancer(const child& who, const slot& of) {
  if (!guards::wants_balancer(*of.config)) return {};
  return born(balancer_handle(self_.spawn<guards::balancer_actor, caf::monitored>(
                  guards::make_balancer_parts(*of.config, *parts_.metrics))),
              who);
}

void spawner::listen(const breaker_handle& to, const upstream_handle& who) {
  self_.send(to, listen_to_breaker{caf::actor_cast<breaker_listener>(who)});
}

void spawner::probe_by(const balancer_handle& it, const upstream_handle& who) {
  self_.send(it, who ? probe_with{caf::actor_cast<endpoint_probes>(who)} : probe_with{});
}

void spawner::show_health(const breaker_handle& breaker, const balancer_handle& balancer) {
  if (!staff_.health) return;
  if (breaker)
    self_.send(breaker, listen_to_breaker{caf::actor_cast<breaker_listener>(staff_.health)});
  if (balancer)
    self_.send(balancer, listen_to_endpoints{caf::actor_cast<endpoints_listener>(staff_.health)});
}

void spawner::retire(const upstream_handle& who) {
  self_.send(who, gate::retire{.finish_first = true});
}

void spawner::kill(const caf::actor& who) {
  caf::anon_send_exit(who, caf::exit_reason::kill);
}

void spawner::end(const caf::actor& who) {
  self_.demonitor(who.address());
  kill(who);
}

}  // namespace gate::supervisor
