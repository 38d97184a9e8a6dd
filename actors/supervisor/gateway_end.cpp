// GATEWAY: the end.
#include "actors/supervisor/gateway.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {
namespace {

/// Refusals of the last calls get this long to leave the building.
constexpr std::chrono::seconds flush_time{1};

}  // namespace

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
  for (auto& u : units_) {
    send(u.doors.ingress, cut{});
  }
  tell_upstreams(retire{});
  if (!upstreams_alive()) return end_routers();
  delayed_send(this, limits::goodbye, goodbye_over{});
}

/// Calls that nobody answered are audited as ROUTER dies: only then is there nothing left to flush.
void gateway::end_routers() {
  if (phase_ == phase::last_words) return;
  phase_ = phase::last_words;
  const auto end = [](const auto& actor) {
    if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    for (auto& u : slots_[i].units) end(u.actor);
    end(slots_[i].breaker);
    end(slots_[i].balancer);
  }
  for (auto& u : units_) end(u.router);
  end(health_);
  end(tasks_);
  end(limiter_);
  end(budget_);
  end(loader_);
  end(discovery_);
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
  slots_.clear();
  loading_.clear();
  health_ = nullptr;
  tasks_ = nullptr;
  audit_ = nullptr;
  limiter_ = nullptr;
  budget_ = nullptr;
  loader_ = nullptr;
  discovery_ = nullptr;
  key_sources_.clear();
  store_ = nullptr;
  mint_ = nullptr;
  parts_.units.clear();
}

}  // namespace gate::supervisor
