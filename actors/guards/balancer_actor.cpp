#include "actors/guards/balancer_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "transport/log.hpp"

namespace gate::guards {

std::vector<std::string> endpoint_names(const config::compiled_upstream& u) {
  std::vector<std::string> out;
  std::map<std::string, std::size_t> seen;
  for (const auto& endpoint : u.endpoints) {
    auto name = endpoint.place();
    if (const auto times = ++seen[name]; times > 1) name += "#" + std::to_string(times);
    out.push_back(std::move(name));
  }
  return out;
}

balancer_parts make_balancer_parts(const config::compiled_upstream& u, metrics& m) {
  balancer_parts out;
  out.config = u;
  out.names = endpoint_names(u);
  if (u.endpoints.size() > 1)
    for (const auto& name : out.names)
      out.healthy.push_back(m.get(metric::upstream_endpoint_healthy, {u.id, name}));
  return out;
}

balancer_actor::balancer_actor(caf::actor_config& cfg, balancer_parts parts)
    : balancer_base::base(cfg),
      parts_(std::move(parts)),
      core_(parts_.config.endpoints.size(), parts_.config.breaker.half_open_after,
            2 * parts_.config.probe_interval + parts_.config.request),
      probing_(parts_.config.endpoints.size()) {
  for (const auto& gauge : parts_.healthy) gauge.set(1);
  set_down_handler([this](const caf::down_msg& m) {
    std::erase_if(listeners_, [&](const auto& who) { return who.address() == m.source; });
  });
}

balancer_actor::behavior_type balancer_actor::make_behavior() {
  return {
      [this](const pick_endpoint& m) {
        pass();
        send(m.asker, endpoint_picked{m.number, core_.pick(m.tried)});
      },
      [this](const endpoint_failed& m) {
        if (m.endpoint >= probing_.size()) return;
        pass();
        note(core_.failed(m.endpoint, now()), m.endpoint, "a session could not be opened");
      },
      [this](const endpoint_probed& m) { on_probed(m); },
      [this](const listen_to_endpoints& m) {
        monitor(m.who);
        listeners_.push_back(m.who);
        send(m.who, endpoints_told{parts_.config.index, core_.healthy()});
      },
      [this](const probe_with& m) {
        prober_ = m.who;
        std::ranges::fill(probing_, 0);
        begin_probes();
      },
      [this](const rest_over& m) {
        if (m.at != armed_) return;  // armed anew for an earlier one
        armed_ = time_point::max();
        pass();
        arm();
      },
      [this](probes_due) {
        interval_runs_ = false;
        begin_probes();
      },
  };
}

void balancer_actor::on_exit() {
  // Whoever is observed keeps a note of it; HEALTH outlives all upstreams.
  for (const auto& who : listeners_) demonitor(who.address());
  listeners_.clear();
  prober_ = nullptr;
  parts_ = {};  // the upstream's number is free, though a timer may keep this object for a while
}

void balancer_actor::pass() {
  for (const auto endpoint : core_.pass(now()))
    note(balancer::change::restored, endpoint, "it has rested");
}

void balancer_actor::on_probed(const endpoint_probed& m) {
  if (m.endpoint >= probing_.size() || probing_[m.endpoint] != m.round) return;
  probing_[m.endpoint] = 0;
  pass();
  note(core_.probed(m.endpoint, m.connected, now()), m.endpoint,
       m.connected ? "a probe succeeded" : "a probe failed: " + m.error);
}

/// Says it once to the log, to the metrics and to all that listen.
void balancer_actor::note(balancer::change what, std::size_t endpoint, const std::string& detail) {
  arm();
  if (what == balancer::change::none) return;
  const bool healthy = what == balancer::change::restored;
  if (!parts_.healthy.empty()) parts_.healthy[endpoint].set(healthy ? 1 : 0);
  log::write(
      healthy ? log::level::info : log::level::warn,
      healthy ? "An endpoint of an upstream is in rotation again."
              : "An endpoint of an upstream is ejected from the rotation.",
      {{"upstream", parts_.config.id}, {"endpoint", parts_.names[endpoint]}, {"detail", detail}});
  for (const auto& who : listeners_)
    send(who, endpoints_told{parts_.config.index, core_.healthy()});
}

/// One timer for the earliest end of a rest.
void balancer_actor::arm() {
  const auto next = core_.next();
  if (!next || *next >= armed_) return;
  armed_ = *next;
  delayed_send(this, armed_ - now(), rest_over{armed_});
}

/// Of all endpoints that are not being probed already.
void balancer_actor::begin_probes() {
  if (!probes()) return;
  if (!std::exchange(interval_runs_, true))
    delayed_send(this, parts_.config.probe_interval, probes_due{});
  if (!prober_) return;
  ++round_;
  for (std::size_t i = 0; i < probing_.size(); ++i) {
    if (probing_[i] != 0) continue;
    probing_[i] = round_;
    send(prober_, probe_endpoint{round_, i, caf::actor_cast<endpoint_prober>(this)});
  }
}

}  // namespace gate::guards
