// GATEWAY: the upstreams. Each has a number, an UPSTREAM on every unit, one BREAKER, and perhaps
// one BALANCER. When one dies, its calls are answered and it is started again; nobody else notices.
//
//   slot       begins                       leaves                          is free
//   when       the configuration has it     the configuration has it no     all its UPSTREAMs have
//                                           more; ROUTERs still may ask     ended
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "actors/guards/balancer_actor.hpp"
#include "actors/guards/circuit_breaker.hpp"
#include "actors/supervisor/gateway.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

void gateway::open_slot(const config::compiled_upstream& u) {
  auto& slot = slots_[u.index];
  slot = {};
  slot.config = std::make_shared<const config::compiled_upstream>(u);
  slot.units.resize(units_.size());
  spawn_breaker(u.index);
  spawn_balancer(u.index);
}

void gateway::spawn_upstream(std::size_t n, std::size_t index) {
  auto& slot = slots_[index];
  auto& here = slot.units[n];
  const auto& unit = units_[n];
  here.actor = spawn<upstream::upstream, caf::monitored>(
      unit.doors.unit,
      upstream::make_context(*slot.config, unit.router, unit.doors.egress, *parts_.metrics,
                             {parts_.secrets, parts_.wall, parts_.random},
                             {limiter_, budget_, slot.breaker, slot.balancer}));
  here.pause.born(clock().now());
  children_.insert_or_assign(here.actor.id(), child{child::kind::upstream, n, index});
  if (slot.breaker)
    send(slot.breaker, listen_to_breaker{caf::actor_cast<breaker_listener>(here.actor)});
  if (n == 0 && slot.balancer)
    send(slot.balancer, probe_with{caf::actor_cast<endpoint_probes>(here.actor)});
}

void gateway::spawn_breaker(std::size_t index) {
  auto& slot = slots_[index];
  const auto& u = *slot.config;
  slot.breaker = spawn<guards::circuit_breaker, caf::monitored>(
      guards::breaker_parts{index, u.id, u.breaker, u.request,
                            parts_.metrics->get(metric::upstream_breaker_state, {u.id})});
  slot.breaker_pause.born(clock().now());
  children_.insert_or_assign(slot.breaker.id(), child{child::kind::breaker, 0, index});
  tell_upstreams(index, breaker_replaced{slot.breaker});
  for (const auto& x : slot.units)
    if (x.actor) send(slot.breaker, listen_to_breaker{caf::actor_cast<breaker_listener>(x.actor)});
  if (health_) send(slot.breaker, listen_to_breaker{caf::actor_cast<breaker_listener>(health_)});
}

/// If it wants one.
void gateway::spawn_balancer(std::size_t index) {
  auto& slot = slots_[index];
  if (!guards::wants_balancer(*slot.config)) return;
  slot.balancer = spawn<guards::balancer_shell, caf::monitored>(
      guards::make_balancer_parts(*slot.config, *parts_.metrics));
  slot.balancer_pause.born(clock().now());
  children_.insert_or_assign(slot.balancer.id(), child{child::kind::balancer, 0, index});
  tell_upstreams(index, balancer_replaced{slot.balancer});
  if (const auto& prober = slot.units.front().actor)
    send(slot.balancer, probe_with{caf::actor_cast<endpoint_probes>(prober)});
  if (health_)
    send(slot.balancer, listen_to_endpoints{caf::actor_cast<endpoints_listener>(health_)});
}

/// What ROUTER and HEALTH are to know.
federation_update gateway::federation(std::size_t unit) const {
  federation_update out{parts_.snapshot, {}};
  for (const auto& slot : slots_)
    out.upstreams.push_back(slot.config ? slot.units[unit].actor : upstream_actor{});
  return out;
}

std::size_t gateway::upstreams_alive() const {
  std::size_t out = 0;
  for (const auto& slot : slots_)
    out += static_cast<std::size_t>(
        std::ranges::count_if(slot.units, [](const auto& x) { return bool(x.actor); }));
  return out;
}

// --- when one dies -------------------------------------------------------------------------------

bool gateway::slot_child_down(const caf::down_msg& m) {
  const auto at = children_.find(m.source.id());
  if (at == children_.end()) return false;
  const auto who = at->second;
  children_.erase(at);
  auto& slot = slots_[who.index];
  const auto now = clock().now();
  const auto reason = caf::to_string(m.reason);
  const auto is = [&](const auto& actor) { return actor && actor.address() == m.source; };
  switch (who.what) {
    case child::kind::upstream:
      if (slot.leaving)
        upstream_left(who.unit, who.index, m.reason);
      else
        upstream_down(who.unit, who.index, reason);
      break;
    case child::kind::breaker:
      if (!is(slot.breaker)) break;  // the number has become another's
      log::error("BREAKER crashed and is restarted; the circuit is closed.",
                 {{"upstream", slot.config->id}, {"reason", reason}});
      slot.breaker = nullptr;
      tell_upstreams(who.index, breaker_replaced{});
      delayed_send(this, slot.breaker_pause.next(now), respawn_breaker{who.index});
      break;
    case child::kind::balancer:
      if (!is(slot.balancer)) break;
      log::error("BALANCER crashed and is restarted; its first endpoint is used meanwhile.",
                 {{"upstream", slot.config->id}, {"reason", reason}});
      slot.balancer = nullptr;
      tell_upstreams(who.index, balancer_replaced{});
      delayed_send(this, slot.balancer_pause.next(now), respawn_balancer{who.index});
      break;
  }
  return true;
}

/// One upstream crashed: its calls are answered, the rest of the federation does not notice.
void gateway::upstream_down(std::size_t n, std::size_t index, const std::string& reason) {
  auto& slot = slots_[index];
  const auto pause = slot.units[n].pause.next(clock().now());
  log::error("UPSTREAM crashed and is restarted.", {{"upstream", slot.config->id},
                                                    {"reason", reason},
                                                    {"pauseMs", std::to_string(pause.count())}});
  slot.units[n].actor = nullptr;
  if (units_[n].router) send(units_[n].router, upstream_replaced{index, {}});
  if (n == 0 && health_) send(health_, upstream_replaced{index, {}});
  if (n == 0 && slot.balancer) send(slot.balancer, probe_with{});
  delayed_send(this, pause, respawn_upstream{n, index});
}

/// Of a unit whose ROUTER has died.
void gateway::end_upstreams(std::size_t n) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto& slot = slots_[i];
    if (!slot.config) continue;
    if (auto& actor = slot.units[n].actor) {
      demonitor(actor.address());
      caf::anon_send_exit(actor, caf::exit_reason::kill);
      children_.erase(actor.id());
      actor = nullptr;
      if (n == 0 && health_) send(health_, upstream_replaced{i, {}});
    }
    if (slot.leaving) close_slot(i);
  }
}

// --- when the configuration no longer has it -----------------------------------------------------

/// It finishes what it has, unguarded: what its guards say would be taken for its successor's.
void gateway::begin_to_leave(std::size_t index) {
  auto& slot = slots_[index];
  slot.leaving = true;
  tell_upstreams(index, breaker_replaced{});
  tell_upstreams(index, balancer_replaced{});
  for (const auto& actor :
       {caf::actor_cast<caf::actor>(slot.breaker), caf::actor_cast<caf::actor>(slot.balancer)})
    if (actor) {
      children_.erase(actor.id());
      demonitor(actor.address());
      caf::anon_send_exit(actor, caf::exit_reason::kill);
    }
  slot.breaker = nullptr;
  slot.balancer = nullptr;
}

/// Of upstreams that the configuration had before.
void gateway::forget_series(const config::snapshot& before) {
  std::unordered_map<std::string_view, const config::compiled_upstream*> now;
  for (const auto& u : parts_.snapshot->upstreams) now.emplace(u.id, &u);
  for (const auto& u : before.upstreams) {
    if (parts_.snapshot->at(u.index)) continue;
    const auto at = now.find(u.id);
    const auto* successor = at == now.end() ? nullptr : at->second;
    forget_gauges(u, successor);
    if (successor) continue;
    if (const auto oldest = retired_.left(u.id))
      upstream::forget_counters(*parts_.metrics, *oldest);
  }
}

/// What says how something is must not be said of what is not.
void gateway::forget_gauges(const config::compiled_upstream& gone,
                            const config::compiled_upstream* successor) {
  auto& m = *parts_.metrics;
  if (!successor) m.remove(metric::upstream_breaker_state, {gone.id});
  if (gone.endpoints.size() < 2) return;
  const bool balanced = successor && successor->endpoints.size() > 1;
  const auto kept = balanced ? guards::endpoint_names(*successor) : std::vector<std::string>{};
  for (const auto& name : guards::endpoint_names(gone))
    if (std::ranges::find(kept, name) == kept.end())
      m.remove(metric::upstream_endpoint_healthy, {gone.id, name});
}

/// Nobody on this unit can ask it any more.
void gateway::on_left(const left_upstream& m) {
  auto& slot = slots_[m.upstream];
  if (!slot.leaving) return;
  if (auto& actor = slot.units[m.unit].actor)
    send(actor, retire{.finish_first = true});
  else
    close_slot(m.upstream);
}

/// It has ended.
void gateway::upstream_left(std::size_t n, std::size_t index, const caf::error& reason) {
  if (reason != caf::exit_reason::normal)
    log::error("UPSTREAM crashed as it ended; what it had not finished is refused.",
               {{"upstream", slots_[index].config->id}, {"reason", caf::to_string(reason)}});
  slots_[index].units[n].actor = nullptr;
  if (units_[n].router) send(units_[n].router, upstream_replaced{index, {}});
  close_slot(index);
}

/// If it has ended everywhere.
void gateway::close_slot(std::size_t index) {
  auto& slot = slots_[index];
  if (std::ranges::any_of(slot.units, [](const auto& x) { return bool(x.actor); })) return;
  slot = {};
}

}  // namespace gate::supervisor
