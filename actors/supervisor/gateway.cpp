#include "actors/supervisor/gateway.hpp"

#include "actors/discovery/discovery_actor.hpp"
#include "actors/guards/budget.hpp"
#include "actors/guards/rate_limiter.hpp"
#include "actors/ops/health.hpp"
#include "actors/supervisor/credential_warnings.hpp"
#include "actors/tasks/tasks.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

gateway::gateway(caf::actor_config& cfg, caf::execution_unit* unit, gateway_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  set_down_handler([this](caf::down_msg& m) { child_down(m); });
  parts_.random(cursor_key_);
}

gateway::behavior_type gateway::make_behavior() {
  warn_of_credentials(nullptr, *parts_.snapshot);
  if (parts_.audit.write) spawn_audit();
  spawn_limiter();
  spawn_budget();
  spawn_health();
  spawn_tasks();
  spawn_identity();
  slots_.resize(parts_.snapshot->slots);
  for (const auto& doors : parts_.units) units_.push_back({doors, {}, {}});
  for (const auto& u : parts_.snapshot->upstreams) open_slot(u);
  for (std::size_t n = 0; n < units_.size(); ++n) spawn_router(n);
  spawn_loader();
  if (parts_.snapshot->doc.discovery) spawn_discovery();
  return {
      [this](stop_requested) { stop(); },
      [this](reload_requested) { reload_by_signal(); },
      [this](const loaded& m) { on_loaded(m); },
      [this](discovered& m) { on_discovered(m); },
      [this](const left_upstream& m) { on_left(m); },
      [this](reload_with& m) { return reload(std::move(m)); },
      [this](const respawn_upstream& m) {
        const auto& slot = slots_[m.index];
        // With a new ROUTER come new upstreams; and the number may be another's by now.
        if (!is_staying(m.index) || !units_[m.unit].router || slot.units[m.unit].actor) return;
        spawn_upstream(m.unit, m.index);
        const upstream_replaced news{m.index, slots_[m.index].units[m.unit].actor};
        send(units_[m.unit].router, news);
        if (m.unit == 0 && health_) send(health_, news);
      },
      [this](const respawn_breaker& m) {
        if (is_staying(m.index) && !slots_[m.index].breaker) spawn_breaker(m.index);
      },
      [this](const respawn_balancer& m) {
        // The number may be another's by now, who needs none.
        if (is_staying(m.index) && !slots_[m.index].balancer) spawn_balancer(m.index);
      },
      [this](const respawn_router& m) {
        if (phase_ == phase::running) spawn_router(m.unit);
      },
      [this](const respawn_keys& m) {
        if (phase_ == phase::running) spawn_keys(m.source);
      },
      [this](const respawn& m) {
        if (phase_ == phase::running || m.which == single::audit) spawn_single(m.which);
      },
      [this](drain_over) { drained_all(); },
      [this](cut_now) { say_goodbye(); },
      [this](goodbye_over) { end_routers(); },
  };
}

// --- spawning -----------------------------------------------------------------------------------

void gateway::spawn_single(single which) {
  switch (which) {
    case single::audit:
      return spawn_audit();
    case single::health:
      return spawn_health();
    case single::tasks:
      return spawn_tasks();
    case single::store:
      return spawn_store();
    case single::mint:
      return spawn_mint();
    case single::limiter:
      return spawn_limiter();
    case single::budget:
      return spawn_budget();
    case single::loader:
      return spawn_loader();
    case single::discovery:
      return spawn_discovery();
  }
}

void gateway::spawn_audit() {
  audit_ = spawn<audits::audit, caf::monitored>(
      parts_.audit, parts_.metrics->get(metric::audit_dropped, {"stdout"}));
  born(single::audit);
  tell_routers(audit_replaced{audit_});
}

void gateway::spawn_health() {
  health_ = spawn<ops::health, caf::monitored>(unit());
  born(single::health);
  if (units_.empty()) return;  // the first one, before there is anybody to tell
  send(health_, federation(0));
  for (const auto& slot : slots_) {
    if (slot.breaker)
      send(slot.breaker, listen_to_breaker{caf::actor_cast<breaker_listener>(health_)});
    if (slot.balancer)
      send(slot.balancer, listen_to_endpoints{caf::actor_cast<endpoints_listener>(health_)});
  }
  tell_routers(health_replaced{health_});
}

void gateway::spawn_tasks() {
  tasks_ = spawn<tasks::tasks, caf::monitored>(unit());
  born(single::tasks);
  tell_routers(tasks_replaced{tasks_});
}

void gateway::spawn_limiter() {
  limiter_ = spawn<guards::rate_limiter, caf::monitored>();
  born(single::limiter);
  tell_routers(rate_limiter_replaced{limiter_});
  tell_upstreams(rate_limiter_replaced{limiter_});
}

void gateway::spawn_budget() {
  // There from the start, though only a fleet that shares its state can add to it.
  parts_.metrics->get(metric::budget_degraded);
  budget_ = spawn<guards::budget, caf::monitored>(parts_.wall);
  born(single::budget);
  tell_upstreams(budget_replaced{budget_});
}

void gateway::spawn_discovery() {
  auto& m = *parts_.metrics;
  const auto count = [&](std::string_view outcome) {
    return m.get(metric::discovery_syncs, {outcome});
  };
  const auto& section = *parts_.snapshot->doc.discovery;
  discovery_ = spawn<discovery::discovery_actor, caf::monitored>(
      unit(), discovery::discovery_parts{
                  section, http::parse_url(section.url).value(), parts_.units.front().egress,
                  parts_.secrets, caf::actor_cast<discovery_user>(this), discoveries_++ << 32,
                  count("applied"), count("unchanged"), count("rejected"), count("error")});
  born(single::discovery);
}

void gateway::spawn_router(std::size_t n) {
  auto& u = units_[n];
  router_parts parts;
  parts.unit_number = static_cast<std::uint8_t>(n);
  parts.metrics = parts_.metrics;
  parts.audit = audit_;
  parts.health = health_;
  parts.tasks = tasks_;
  parts.wall = parts_.wall;
  parts.random = parts_.random;
  parts.cursor_key = cursor_key_;
  parts.authority = parts_.authority;
  for (const auto& source : key_sources_) parts.key_sources.push_back(source.actor);
  parts.mint = mint_;
  parts.limiter = limiter_;
  parts.own_list_bytes = parts_.own_list_bytes;
  parts.gateway = caf::actor_cast<departures_user>(this);
  u.router = spawn<router, caf::monitored>(u.doors.unit, std::move(parts), parts_.snapshot);
  u.pause.born(clock().now());
  for (const auto& upstream : parts_.snapshot->upstreams) spawn_upstream(n, upstream.index);
  const auto whom = federation(n);
  send(u.router, whom);
  if (n == 0 && health_) send(health_, whom);
  send(u.doors.ingress, serve{u.router});
}

// --- supervision --------------------------------------------------------------------------------

void gateway::child_down(const caf::down_msg& m) {
  if (phase_ >= phase::goodbye) {
    for (auto& u : units_)
      if (u.router && u.router.address() == m.source) u.router = nullptr;
    for (auto& slot : slots_)
      for (auto& x : slot.units)
        if (x.actor && x.actor.address() == m.source) x.actor = nullptr;
    if (phase_ == phase::goodbye && !upstreams_alive()) return end_routers();
    if (phase_ == phase::last_words) finish();
    return;
  }
  if (slot_child_down(m) || single_down(m) || keys_down(m)) return;
  for (std::size_t n = 0; n < units_.size(); ++n)
    if (units_[n].router && units_[n].router.address() == m.source) return router_down(n);
}

/// Was it one of those that there is one of? It is restarted, and whoever waits for it is told.
bool gateway::single_down(const caf::down_msg& m) {
  const auto fell = [&](single which, auto& handle, std::string_view what) {
    if (!handle || handle.address() != m.source) return false;
    handle = nullptr;
    log::error(what, {{"reason", caf::to_string(m.reason)}});
    delayed_send(this, pauses_[static_cast<std::size_t>(which)].next(clock().now()),
                 respawn{which});
    return true;
  };
  if (fell(single::audit, audit_, "AUDIT crashed and is restarted.") ||
      fell(single::health, health_, "HEALTH crashed and is restarted.") ||
      fell(single::tasks, tasks_,
           "TASKS crashed and is restarted; tasks that run have to be looked for.") ||
      fell(single::store, store_,
           "STORE crashed and is restarted; it has forgotten which assertions were used.") ||
      fell(single::discovery, discovery_,
           "DISCOVERY crashed and is restarted; what is discovered goes on to hold."))
    return true;
  if (fell(single::mint, mint_, "MINT crashed and is restarted.")) {
    tell_routers(mint_replaced{});
  } else if (fell(single::limiter, limiter_,
                  "RATE LIMITER crashed and is restarted; it has forgotten what was counted, and "
                  "nothing is limited meanwhile.")) {
    tell_routers(rate_limiter_replaced{});
    tell_upstreams(rate_limiter_replaced{});
  } else if (fell(single::budget, budget_,
                  "BUDGET crashed and is restarted; it has forgotten what was used, and nothing "
                  "is charged meanwhile.")) {
    tell_upstreams(budget_replaced{});
  } else if (fell(single::loader, loader_, "LOADER crashed and is restarted.")) {
    loader_down();
  } else {
    return false;
  }
  return true;
}

/// A ROUTER crashed: its calls were answered as it died, its clients' sessions are lost (they will
/// be told 404 and initialize again), and its upstreams would answer to nobody.
void gateway::router_down(std::size_t n) {
  auto& u = units_[n];
  const auto pause = u.pause.next(clock().now());
  log::error("ROUTER crashed and is restarted; the sessions of its clients are lost.",
             {{"unit", std::to_string(n)}, {"pauseMs", std::to_string(pause.count())}});
  end_upstreams(n);
  u.router = nullptr;
  delayed_send(this, pause, respawn_router{n});
}

}  // namespace gate::supervisor
