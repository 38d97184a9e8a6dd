#include "actors/supervisor/gateway.hpp"

#include <algorithm>

#include "actors/ops/health.hpp"
#include "actors/tasks/tasks.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {
namespace {

/// An actor that has lived this long starts over with the shortest pause when it crashes.
constexpr std::chrono::minutes long_life{1};
/// Refusals of the last calls get this long to leave the building.
constexpr std::chrono::seconds flush_time{1};

template <class Handle>
bool is(const Handle& h, const caf::actor_addr& who) {
  return h && h.address() == who;
}

}  // namespace

std::chrono::milliseconds gateway::backoff::next(std::chrono::steady_clock::time_point now) {
  if (now - born >= long_life) pause = std::chrono::milliseconds{0};
  pause =
      std::clamp<std::chrono::milliseconds>(pause * 2, limits::restart_first, limits::restart_most);
  return pause;
}

gateway::gateway(caf::actor_config& cfg, caf::execution_unit* unit, gateway_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  set_down_handler([this](caf::down_msg& m) { child_down(m); });
  parts_.random(cursor_key_);
}

gateway::behavior_type gateway::make_behavior() {
  if (parts_.audit.write) spawn_audit();
  spawn_health();
  spawn_tasks();
  spawn_identity();
  for (const auto& doors : parts_.units) {
    units_.emplace_back();
    units_.back().doors = doors;
    spawn_router(units_.size() - 1);
  }
  return {
      [this](stop_requested) { stop(); },
      [](reload_requested) {
        log::warn("SIGHUP is ignored: reloading is not supported by this build; restart instead.");
      },
      [this](const respawn_upstream& m) {
        auto& u = units_[m.unit];
        if (phase_ != phase::running || !u.router) return;  // with a new ROUTER come new upstreams
        u.upstreams[m.index] = spawn_upstream(m.unit, m.index);
        if (u.router) send(u.router, upstream_replaced{m.index, u.upstreams[m.index]});
        if (m.unit == 0) send(health_, upstream_replaced{m.index, u.upstreams[m.index]});
      },
      [this](const respawn_router& m) {
        if (phase_ == phase::running) spawn_router(m.unit);
      },
      [this](respawn_health) {
        if (phase_ == phase::running) spawn_health();
      },
      [this](respawn_audit) { spawn_audit(); },
      [this](respawn_tasks) {
        if (phase_ == phase::running) spawn_tasks();
      },
      [this](const respawn_keys& m) {
        if (phase_ == phase::running) spawn_keys(m.source);
      },
      [this](respawn_store) {
        if (phase_ == phase::running) spawn_store();
      },
      [this](respawn_mint) {
        if (phase_ == phase::running) spawn_mint();
      },
      [this](drain_over) { drained_all(); },
      [this](cut_now) { say_goodbye(); },
      [this](goodbye_over) { end_routers(); },
  };
}

// --- spawning -----------------------------------------------------------------------------------

void gateway::spawn_audit() {
  audit_ = spawn<audits::audit, caf::monitored>(
      parts_.audit, parts_.metrics->get(metric::audit_dropped, {"stdout"}));
  audit_backoff_.born = clock().now();
  for (auto& u : units_)
    if (u.router) send(u.router, audit_replaced{audit_});
}

void gateway::spawn_health() {
  health_ = spawn<ops::health, caf::monitored>(unit());
  health_backoff_.born = clock().now();
  if (units_.empty()) return;  // the first one, before there is anybody to tell
  send(health_, federation_update{parts_.snapshot, units_[0].upstreams});
  for (auto& u : units_)
    if (u.router) send(u.router, health_replaced{health_});
}

void gateway::spawn_tasks() {
  tasks_ = spawn<tasks::tasks, caf::monitored>(unit());
  tasks_backoff_.born = clock().now();
  for (auto& u : units_)
    if (u.router) send(u.router, tasks_replaced{tasks_});
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
  u.router = spawn<router, caf::monitored>(u.doors.unit, std::move(parts), parts_.snapshot);
  u.router_backoff.born = clock().now();
  spawn_upstreams(n);
  send(u.doors.ingress, serve{u.router});
}

upstream_actor gateway::spawn_upstream(std::size_t n, std::size_t index) {
  auto& u = units_[n];
  u.upstream_backoff[index].born = clock().now();
  return spawn<upstream::upstream, caf::monitored>(
      u.doors.unit, upstream::make_context(parts_.snapshot->upstreams[index], u.router,
                                           u.doors.egress, *parts_.metrics, parts_.secrets));
}

void gateway::spawn_upstreams(std::size_t n) {
  auto& u = units_[n];
  const auto count = parts_.snapshot->upstreams.size();
  u.upstreams.assign(count, {});
  u.upstream_backoff.resize(count);
  for (std::size_t i = 0; i < count; ++i) u.upstreams[i] = spawn_upstream(n, i);
  send(u.router, federation_update{parts_.snapshot, u.upstreams});
  if (n == 0) send(health_, federation_update{parts_.snapshot, u.upstreams});
}

// --- supervision --------------------------------------------------------------------------------

void gateway::child_down(const caf::down_msg& m) {
  if (phase_ >= phase::goodbye) {
    for (auto& u : units_) {
      if (is(u.router, m.source)) u.router = nullptr;
      for (auto& x : u.upstreams)
        if (is(x, m.source)) x = nullptr;
    }
    const bool upstreams_gone = std::ranges::all_of(units_, [](const unit_state& u) {
      return std::ranges::all_of(u.upstreams, [](const upstream_actor& x) { return !x; });
    });
    if (phase_ == phase::goodbye && upstreams_gone) return end_routers();
    if (phase_ == phase::last_words) finish();
    return;
  }
  if (is(audit_, m.source)) {
    log::error("AUDIT crashed and is restarted.", {{"reason", caf::to_string(m.reason)}});
    delayed_send(this, audit_backoff_.next(clock().now()), respawn_audit{});
    return;
  }
  if (identity_down(m)) return;
  if (is(health_, m.source)) {
    log::error("HEALTH crashed and is restarted.", {{"reason", caf::to_string(m.reason)}});
    delayed_send(this, health_backoff_.next(clock().now()), respawn_health{});
    return;
  }
  if (is(tasks_, m.source)) {
    log::error("TASKS crashed and is restarted; tasks that run have to be looked for.",
               {{"reason", caf::to_string(m.reason)}});
    delayed_send(this, tasks_backoff_.next(clock().now()), respawn_tasks{});
    return;
  }
  for (std::size_t n = 0; n < units_.size(); ++n) {
    if (is(units_[n].router, m.source)) return router_down(n);
    for (std::size_t i = 0; i < units_[n].upstreams.size(); ++i)
      if (is(units_[n].upstreams[i], m.source)) return upstream_down(n, i);
  }
}

/// One upstream crashed: its calls are answered, the rest of the federation does not notice.
void gateway::upstream_down(std::size_t n, std::size_t index) {
  auto& u = units_[n];
  const auto pause = u.upstream_backoff[index].next(clock().now());
  log::error("UPSTREAM crashed and is restarted.",
             {{"upstream", parts_.snapshot->upstreams[index].id},
              {"pauseMs", std::to_string(pause.count())}});
  u.upstreams[index] = nullptr;
  if (u.router) send(u.router, upstream_replaced{index, {}});
  if (n == 0) send(health_, upstream_replaced{index, {}});
  delayed_send(this, pause, respawn_upstream{n, index});
}

/// A ROUTER crashed: its calls were answered as it died, its clients' sessions are lost (they will
/// be told 404 and initialize again), and its upstreams would answer to nobody.
void gateway::router_down(std::size_t n) {
  auto& u = units_[n];
  const auto pause = u.router_backoff.next(clock().now());
  log::error("ROUTER crashed and is restarted; the sessions of its clients are lost.",
             {{"unit", std::to_string(n)}, {"pauseMs", std::to_string(pause.count())}});
  for (auto& x : u.upstreams) {
    if (!x) continue;
    demonitor(x.address());
    caf::anon_send_exit(x, caf::exit_reason::kill);
    x = nullptr;
  }
  u.router = nullptr;
  delayed_send(this, pause, respawn_router{n});
}

// --- the end ------------------------------------------------------------------------------------

//   draining    no new connections; calls in flight go on           until all have ended, or 10 s
//   refusing    what still runs is answered: the gateway is stopping    until written, or 1 s
//   goodbye     upstreams are told that their sessions end              until told, or 2 s
//   last_words  routers end; then the audit trail is flushed            until they are gone

void gateway::stop() {
  if (phase_ != phase::running) return;
  phase_ = phase::draining;
  log::info("Stopping: no new connections, calls in flight have up to " +
            std::to_string(limits::drain.count()) + " s.");
  undrained_ = units_.size();
  auto drained_one = [this] {
    if (--undrained_ > 0) return;
    if (phase_ == phase::draining || phase_ == phase::refusing) say_goodbye();
  };
  for (auto& u : units_) {
    if (u.router) send(u.router, wind_down{});
    request(u.doors.ingress, caf::infinite, drain{})
        .then([drained_one](drained) { drained_one(); },
              [drained_one](const caf::error&) { drained_one(); });
  }
  delayed_send(this, limits::drain, drain_over{});
}

void gateway::drained_all() {
  if (phase_ != phase::draining) return;
  phase_ = phase::refusing;
  log::warn("The drain time is over: what is still running is refused.");
  for (auto& u : units_)
    if (u.router) send(u.router, end_calls{});
  delayed_send(this, flush_time, cut_now{});
}

void gateway::say_goodbye() {
  if (phase_ >= phase::goodbye) return;
  phase_ = phase::goodbye;
  bool any = false;
  for (auto& u : units_) {
    send(u.doors.ingress, cut{});
    for (auto& x : u.upstreams)
      if (x) {
        any = true;
        send(x, retire{});
      }
  }
  if (!any) return end_routers();
  delayed_send(this, limits::goodbye, goodbye_over{});
}

/// Calls that nobody answered are audited as ROUTER dies: only then is there nothing left to flush.
void gateway::end_routers() {
  if (phase_ == phase::last_words) return;
  phase_ = phase::last_words;
  for (auto& u : units_) {
    for (auto& x : u.upstreams)
      if (x) caf::anon_send_exit(x, caf::exit_reason::kill);
    if (u.router) caf::anon_send_exit(u.router, caf::exit_reason::kill);
  }
  caf::anon_send_exit(health_, caf::exit_reason::kill);
  caf::anon_send_exit(tasks_, caf::exit_reason::kill);
  end_identity();
  finish();
}

void gateway::finish() {
  if (std::ranges::any_of(units_, [](const unit_state& u) { return bool(u.router); })) return;
  if (!parts_.stopped) return;
  auto done = std::exchange(parts_.stopped, nullptr);
  if (!audit_) {
    done();
    return quit();
  }
  request(audit_, caf::infinite, flush_audit{})
      .then(
          [this, done](audit_flushed) {
            caf::anon_send_exit(audit_, caf::exit_reason::kill);
            done();
            quit();
          },
          [this, done](const caf::error&) {
            done();
            quit();
          });
}

void gateway::on_exit() {
  units_.clear();
  health_ = nullptr;
  tasks_ = nullptr;
  audit_ = nullptr;
  key_sources_.clear();
  store_ = nullptr;
  mint_ = nullptr;
  parts_.units.clear();
}

}  // namespace gate::supervisor
