#include "actors/supervisor/gateway_actor.hpp"

#include <algorithm>

#include "actors/supervisor/credential_warnings.hpp"
#include "config/describe/field.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

gateway_actor::gateway_actor(caf::actor_config& cfg, caf::execution_unit* unit, gateway_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      series_(parts_.metrics),
      news_(*this, staff_, slots_),
      spawner_(*this, unit, parts_, staff_, children_, slots_, news_),
      slots_(spawner_, children_, parts_.units.size()) {
  set_down_handler([this](const caf::down_msg& m) { child_down(m); });
}

gateway_actor::behavior_type gateway_actor::make_behavior() {
  warn_of_credentials(nullptr, *parts_.snapshot);
  spawner_.spawn_all();
  return {
      [this](stop_requested) { ending_.begin(parts_.units.size()); },
      [this](reload_requested) {
        for (const auto& p : parts_.places)
          if (p.lines.reopen) p.lines.reopen();
        reloads_.by_signal();
      },
      [this](const loaded& m) { reloads_.on_loaded(m); },
      [this](discovered& m) { reloads_.by_discovery(std::move(m)); },
      [this](discovery_state& m) {
        m.at = parts_.wall();
        if (staff_.health) send(staff_.health, m);
        spawner_.last_sync = std::move(m);
      },
      [this](const left_upstream& m) { slots_.on_left(m); },
      [this](reload_with& m) -> caf::result<reloaded> {
        auto promise = make_response_promise<reloaded>();
        reloads_.by_program(std::move(m),
                            [promise](reloaded r) mutable { promise.deliver(std::move(r)); });
        return promise;
      },
      [this](const respawn& m) { restart(m.who); },
      [this](const phase_over& m) { ending_.time_over(m.which); },
  };
}

void gateway_actor::on_exit() {
  reloads_.clear();
  slots_.clear();
  staff_ = {};
  parts_.units.clear();
}

// --- supervision ---------------------------------------------------------------------------------

void gateway_actor::child_down(const caf::down_msg& m) {
  const auto it = children_.down(m.source.id(), clock().now());
  if (!it) return;
  const auto& [who, pause] = *it;
  if (unflushed_.contains(who.what)) {  // it can not answer any more
    say_crashed(*it, m.reason);
    news_.forget(who);
    return flushed(who.what);
  }
  const bool late = ending_.late() && row_of(who.what).when == restarts::while_running;
  if (late) {
    slots_.drop(who);
    news_.forget(who);
    return ending_.child_gone();
  }
  if (who.what == role::upstream && slots_.is_leaving(who.index)) {
    if (m.reason != caf::exit_reason::normal)
      log::error(
          "UPSTREAM crashed as it ended; what it had not finished is refused.",
          {{"upstream", slots_.at(who.index).config->id}, {"reason", caf::to_string(m.reason)}});
    return slots_.lost(who);
  }
  say_crashed(*it, m.reason);
  lose(*it);
}

/// What the table says of it, in the log.
void gateway_actor::say_crashed(const children::fallen& it, const caf::error& why) const {
  const auto& row = row_of(it.who.what);
  const auto whose = [&]() -> log::field {
    switch (row.of) {
      case subject::none:
        break;
      case subject::sink:
        return {"sink", std::string(config::name_of(parts_.places[it.who.index].type))};
      case subject::issuer:
        return {"issuer", parts_.authority->sources[it.who.index].issuer};
      case subject::upstream:
        return {"upstream", slots_.at(it.who.index).config->id};
      case subject::unit:
        return {"unit", std::to_string(it.who.unit)};
    }
    return {};
  }();
  const log::field reason{"reason", caf::to_string(why)};
  const log::field pause{"pauseMs", std::to_string(it.pause.count())};
  if (row.of == subject::none) return log::error(row.sentence, {reason});
  switch (row.says) {
    case detail::reason:
      return log::error(row.sentence, {whose, reason});
    case detail::pause:
      return log::error(row.sentence, {whose, pause});
    case detail::both:
      return log::error(row.sentence, {whose, reason, pause});
  }
}

/// Whoever waits for it is told, and its successor comes when the pause is over.
void gateway_actor::lose(const children::fallen& it) {
  const auto& who = it.who;
  const auto& row = row_of(who.what);
  if (row.of == subject::upstream) {
    slots_.lost(who);
  } else {
    news_.forget(who);
    if (row.what == told_of::death_too) news_.announce(who);
  }
  // Its calls were answered as it died, its clients' sessions are lost (they will be told 404 and
  // initialize again), and its upstreams would answer to nobody.
  if (who.what == role::router) slots_.end_unit(who.unit);
  delayed_send(this, it.pause, respawn{who});
  if (who.what == role::loader) reloads_.loader_lost();
}

void gateway_actor::restart(const child& who) {
  if (stopping() && row_of(who.what).when == restarts::while_running) return;
  if (row_of(who.what).of == subject::upstream || !news_.is_there(who)) spawner_.spawn(who);
}

// --- another configuration -----------------------------------------------------------------------

void gateway_actor::load(std::variant<load_document, load_discovered> what) {
  std::visit([this](auto&& m) { send(staff_.loader, std::forward<decltype(m)>(m)); },
             std::move(what));
}

void gateway_actor::settle(discovery_settled what) {
  if (staff_.discovery) send(staff_.discovery, std::move(what));
}

void gateway_actor::take_over(snapshot_ptr next) {
  const auto before = std::exchange(parts_.snapshot, std::move(next));
  const auto& now = *parts_.snapshot;
  slots_.extend(now.slots);
  std::size_t added = 0, retired = 0;
  for (const auto& u : before->upstreams) {
    if (now.at(u.index)) continue;
    ++retired;
    slots_.begin_to_leave(u.index);
  }
  for (const auto& u : now.upstreams) {
    if (before->at(u.index)) continue;
    ++added;
    series_.back(u.id);
    slots_.open(u);
    for (std::size_t n = 0; n < staff_.routers.size(); ++n)
      if (staff_.routers[n]) slots_.start(n, u.index);
  }
  news_.announce(parts_.snapshot);
  series_.forget(*before, now);
  end_upstreams_that_left(*before);
  warn_of_credentials(before.get(), now);
  const auto found = now.upstreams.size() - now.discovered_from;
  log::info("The configuration was reloaded.", {{"upstreams", std::to_string(now.upstreams.size())},
                                                {"discovered", std::to_string(found)},
                                                {"added", std::to_string(added)},
                                                {"retired", std::to_string(retired)},
                                                {"generation", std::to_string(now.generation)}});
}

/// A unit without ROUTER asks nobody.
void gateway_actor::end_upstreams_that_left(const config::snapshot& before) {
  for (const auto& u : before.upstreams)
    for (std::size_t n = 0; n < staff_.routers.size(); ++n)
      if (!parts_.snapshot->at(u.index) && !staff_.routers[n]) slots_.on_left({n, u.index});
}

// --- the end -------------------------------------------------------------------------------------

void gateway_actor::drain() {
  news_.tell_routers(wind_down{});
  for (auto& u : parts_.units)
    request(u.ingress, caf::infinite, gate::drain{})
        .then([this](drained) { ending_.drained(); },
              [this](const caf::error&) { ending_.drained(); });
}

void gateway_actor::refuse_calls() {
  news_.tell_routers(end_calls{});
}

void gateway_actor::say_goodbye() {
  for (auto& u : parts_.units) send(u.ingress, cut{});
  for (std::size_t i = 0; i < slots_.size(); ++i) news_.tell_upstreams(i, retire{.quietly = true});
}

void gateway_actor::end_all() {
  slots_.end_all();
  end_with_calls(staff_, [](const auto& actor) {
    if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
  });
}

void gateway_actor::flush() {
  spawner_.complete_audit();
  unflushed_ = {role::audit, role::traces};
  flush<audit_flushed>(role::audit, staff_.audit, flush_audit{});
  flush<traces_flushed>(role::traces, staff_.traces, flush_traces{});
}

/// Each says so in the end, unless it crashes.
template <class Flushed, class Handle, class Ask>
void gateway_actor::flush(role who, const Handle& whom, Ask what) {
  if (!whom) return flushed(who);
  request(whom, caf::infinite, what)
      .then([this, who](Flushed) { flushed(who); },
            [this, who](const caf::error&) { flushed(who); });
}

void gateway_actor::flushed(role who) {
  if (unflushed_.erase(who) > 0 && unflushed_.empty()) over();
}

/// Nobody waits for anything any more.
void gateway_actor::over() {
  if (staff_.audit) caf::anon_send_exit(staff_.audit, caf::exit_reason::kill);
  if (staff_.traces) caf::anon_send_exit(staff_.traces, caf::exit_reason::kill);
  for (const auto& s : staff_.sinks)
    if (s) caf::anon_send_exit(s, caf::exit_reason::kill);
  if (const auto done = std::exchange(parts_.stopped, nullptr)) done();
  quit();
}

void gateway_actor::wake(phase which, std::chrono::milliseconds after) {
  delayed_send(this, after, phase_over{which});
}

bool gateway_actor::routers_alive() const {
  return std::ranges::any_of(staff_.routers, [](const auto& r) { return bool(r); });
}

}  // namespace gate::supervisor
