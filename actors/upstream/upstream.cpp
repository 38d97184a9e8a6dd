#include "actors/upstream/upstream.hpp"

#include <algorithm>

#include "actors/fleet/shared_budget.hpp"
#include "actors/upstream/session_actor.hpp"
#include "transport/log.hpp"

namespace gate::upstream {

upstream::upstream(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared,
                   guard_set guards)
    : pinned(cfg, unit), shared_(std::move(shared)), guards_(std::move(guards)) {
  set_down_handler([this](caf::down_msg& m) { child_down(m); });
  peers_->tools = shared_->tools;
  if (is_granted(shared_->config.auth.strategy)) spawn_credentials();
  if (shared_->store)
    lists_.emplace(shared_->config, fleet::name_of_a_life(shared_->outside.random),
                   shared_->store_database);
}

upstream::behavior_type upstream::make_behavior() {
  if (lists_)
    send(shared_->store,
         listen_to_store{{lists_->channel()}, caf::actor_cast<store_listener>(this)});
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](invoke& m) { enter(m); },
      [this](const admitted& m) { on_admitted(m); },
      [this](const wake_me& m) { wake(m); },
      [this](const timer_due& m) { on_timer(m.at); },
      [this](const lease_told& m) { on_lease(m); },
      [this](fetch_list& m) { fetch(m); },
      [this](const cancel_call& m) { cancel(m); },
      [this](const client_reply& m) {
        auto it = children_.find(session::number_of(m.session));
        if (it != children_.end()) tell(it->second, m);
      },
      [this](const client_progress& m) {
        auto it = children_.find(session::number_of(m.session));
        if (it != children_.end()) tell(it->second, m);
      },
      [this](profile_changed& m) { change_profile(m); },
      [this](client_notice& m) { pass(m.client, m); },
      [this](const client_ended& m) { client_left(m); },
      [this](const introduce& m) { have_introduced(m); },
      [this](const release_root& m) {
        if (m.principal)
          end_root({m.as, m.principal});
        else
          end_roots(m.as);
      },
      [this](subscribe_again& m) {
        leaving_.erase(m.client);  // it is wanted again
        if (!retiring_) send(bridged(m.client), std::move(m));
      },
      [this](unsubscribe& m) { pass(m.client, m); },
      [this](probe& m) {
        if (!retiring_) send(root({}), std::move(m));
      },
      [this](const session_idle& m) { end_idle(m); },
      [this](const watches_changed& m) { watch(m); },
      [this](const list_read& m) { on(m); },
      [this](const list_heard& m) { on(m); },
      [this](const store_told& m) { on(m); },
      [this](const store_heard& m) { on(m); },
      [this](const store_turned& m) { on(m); },
      [this](look_again m) { on(m); },
      [this](const tools_settled& m) { tell_everybody(m); },
      [this](probe_endpoint& m) { check(m); },
      [this](const breaker_told& m) { peers_->circuit = m; },
      [this](show_circuit) -> breaker_told {
        return {shared_->config.index, peers_->circuit.state, peers_->circuit.clean};
      },
      [this](const replaced<breaker_actor>& m) {
        guards_.breaker = m.now;
        tell_everybody(m);
        peers_->circuit = {};  // it will tell
        nobody_at(station::breaker);
      },
      [this](const replaced<budget_actor>& m) {
        guards_.budget = m.now;
        tell_everybody(m);
        nobody_at(station::budget);
      },
      [this](const replaced<balancer_actor>& m) {
        guards_.balancer = m.now;
        tell_everybody(m);
      },
      [this](const retire& m) { retire_now(m); },
      [this](respawn_credentials) { spawn_credentials(); },
  };
}

void upstream::have_introduced(const introduce& m) {
  if (retiring_) return;
  if (m.profile) return send(bridged(m.client), m);
  if (auto s = root(audience_of(m.as, m.caller))) return send(s, m);
  send(shared_->router, introduced{shared_->config.index, false, {}, {}});
}

/// All that is watched by one credential is one root session's, of clients that can do nothing.
void upstream::watch(const watches_changed& m) {
  if (m.settled) return tell_everybody(m);
  const audience whose{0, m.principal};
  // (Nobody's credential is to be had without the caller.)
  const bool wanted =
      !retiring_ && peers_->watches.any(m.principal) && (m.caller || m.principal == 0);
  if (!wanted && !roots_.contains(whose)) return;
  if (auto s = root(whose)) send(s, m);
}

void upstream::check(probe_endpoint& m) {
  if (retiring_) return;
  if (m.endpoint < shared_->to.size()) return void(make_session({.check = std::move(m)}));
  send(m.asker, endpoint_probed{m.round, m.endpoint, false, "there is no such endpoint"});
}

void upstream::on_exit() {
  // Whoever ends UPSTREAM ends its sessions: they have nobody to answer for them any more.
  for (auto& [id, c] : children_)
    if (auto child = caf::actor_cast<caf::strong_actor_ptr>(c.address))
      caf::anon_send_exit(child, caf::exit_reason::kill);
  if (credentials_) caf::anon_send_exit(credentials_, caf::exit_reason::kill);
  credentials_ = nullptr;
  children_.clear();
  bridged_.clear();
  roots_.clear();
  parked_.take_all();
  guards_ = {};  // so that nobody keeps another alive in a circle
  shared_ = nullptr;
}

// --- sessions ------------------------------------------------------------------------------------

upstream_session_actor upstream::make_session(role r) {
  session_handles whom{caf::actor_cast<upstream_actor>(this), guards_, credentials_};
  auto made = upstream_session_actor(
      spawn<session_actor, caf::monitored>(unit(), shared_, peers_, r, std::move(whom)));
  children_.emplace(made.id(), child{made.address(), r, never});
  by_client_.emplace(r.client, made.id());
  return made;
}

void upstream::spawn_credentials() {
  credentials_parts parts{shared_->config, shared_->egress, shared_->outside,
                          shared_->credential_fetches};
  credentials_ = spawn<credentials, caf::monitored>(unit(), std::move(parts));
  tell_everybody(replaced<credentials_actor>{credentials_});
}

/// Everybody shares a root session, unless the upstream can tell callers apart.
upstream::audience upstream::audience_of(mcp::capability_profile as,
                                         const identity::caller_ptr& caller) const {
  return {as, shared_->config.per_caller && caller ? caller->who.key : 0};
}

upstream_session_actor upstream::root(audience a) {
  if (auto it = roots_.find(a); it != roots_.end()) return it->second;
  if (a.second && roots_.size() >= limits::caller_roots) return {};
  return roots_[a] = make_session({.as = a.first, .principal = a.second});
}

upstream_session_actor& upstream::bridged(std::uint64_t client) {
  auto& b = bridged_[client];
  if (!b.session) b.session = make_session({.client = client});
  ++b.handed;
  return b.session;
}

upstream_session_actor upstream::any(std::uint64_t client, audience a) {
  auto it = bridged_.find(client);
  if (it == bridged_.end()) return root(a);
  ++it->second.handed;
  return it->second.session;
}

void upstream::tell_all(std::uint64_t client, const cancel_call& m) {
  const auto [first, last] = by_client_.equal_range(client);
  for (auto it = first; it != last; ++it) tell(children_.at(it->second), m);
}

void upstream::end_roots(mcp::capability_profile as) {
  std::vector<audience> all;
  for (const auto& [whose, s] : roots_)
    if (whose.first == as) all.push_back(whose);
  for (const auto& whose : all) end_root(whose);
}

void upstream::end_root(audience a) {
  auto it = roots_.find(a);
  if (it == roots_.end()) return;
  // It may listen for clients that can do more.
  if (a.first == 0 && !retiring_ && peers_->watches.any(a.second)) return;
  send(it->second, close_session{.finish_first = true});
  roots_.erase(it);
}

void upstream::end_bridged(std::uint64_t client, close_session how) {
  auto it = bridged_.find(client);
  if (it == bridged_.end()) return;
  send(it->second.session, how);
  bridged_.erase(it);
}

/// Forgotten first: what was sent to it before is in its mailbox already and will be finished. Of a
/// bridged session that can be too late: a subscription or a task ends with the session that it was
/// made in. So one that has work on its way goes on.
void upstream::end_idle(const session_idle& m) {
  if (!m.client) return end_root({m.as, m.principal});
  const auto it = bridged_.find(m.client);
  if (it == bridged_.end() || it->second.session.id() != m.who || it->second.handed != m.taken)
    return;
  end_bridged(m.client, {.finish_first = true});
}

void upstream::child_down(const caf::down_msg& m) {
  if (credentials_ && credentials_.address() == m.source) {
    log::error("CREDENTIALS crashed and is restarted.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    credentials_ = nullptr;
    tell_everybody(replaced<credentials_actor>{});
    return delayed_send(this, limits::restart_first, respawn_credentials{});
  }
  auto it = children_.find(m.source.id());
  if (it == children_.end()) return;
  const auto [client, as, principal, check] = it->second.what;
  timers_.erase({it->second.wake, it->first});
  const auto [first, last] = by_client_.equal_range(client);
  by_client_.erase(std::find_if(first, last, [&](auto& x) { return x.second == it->first; }));
  children_.erase(it);
  const bool crashed = m.reason != caf::exit_reason::normal;
  if (client == 0) {
    if (auto r = roots_.find({as, principal}); r != roots_.end() && r->second.address() == m.source)
      roots_.erase(r);
  } else if (auto b = bridged_.find(client);
             b != bridged_.end() && b->second.session.address() == m.source) {
    bridged_.erase(b);
  }
  if (crashed && check) {
    log::error("A check of an endpoint died.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    send(check->asker, endpoint_probed{check->round, check->endpoint, false, "the check died"});
  } else if (crashed) {
    log::error("An upstream session died; the next request gets a new one.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    send(shared_->router, session_lost{shared_->config.index, client, as, principal});
  }
  if (const auto whose = peers_->watches.end(m.source.id())) watch({*whose, nullptr});
  // Whoever watches by it says so again, and with it by which credential.
  if (crashed && !client && !retiring_) tell_everybody(watches_changed{});
  quit_when_done();
}

void upstream::quit_when_done() {
  if (retiring_ && children_.empty() && parked_.empty()) quit();
}

// --- timers --------------------------------------------------------------------------------------

void upstream::wake(const wake_me& m) {
  auto it = children_.find(m.who);
  if (it == children_.end()) return;  // it has ended since
  timers_.erase({it->second.wake, m.who});
  it->second.wake = m.at;
  timers_.emplace(m.at, m.who);
  arm();
}

void upstream::arm() {
  if (timers_.empty() || timers_.begin()->first >= armed_) return;
  armed_ = timers_.begin()->first;
  delayed_send(this, armed_ - clock().now(), timer_due{armed_});
}

void upstream::on_timer(time_point at) {
  if (at != armed_) return;  // armed anew for an earlier one
  armed_ = never;
  const auto now = clock().now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto [when, who] = *timers_.begin();
    timers_.erase(timers_.begin());
    auto& c = children_.at(who);
    c.wake = never;
    tell(c, session_tick{when});
  }
  arm();
}

}  // namespace gate::upstream
