#include "actors/upstream/upstream_actor.hpp"

#include "actors/upstream/charged_ahead.hpp"
#include "actors/upstream/lent_lease.hpp"
#include "actors/upstream/session_actor.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"
#include "transport/parcel.hpp"

namespace gate::upstream {

// --- guards --------------------------------------------------------------------------------------

bool asked_for_requests::has(station whom) const {
  return whom == station::budget ? bool(guards_.budget) : bool(guards_.breaker);
}

void asked_for_requests::want_admission(std::uint64_t number, rate_scopes_ptr scopes,
                                        allowances_ptr costs) {
  self_.send(guards_.budget, admit{number, std::move(scopes),
                                   caf::actor_cast<admission_user>(&self_), std::move(costs)});
}

void asked_for_requests::want_lease(std::uint64_t number, std::chrono::milliseconds longest) {
  self_.send(guards_.breaker,
             gate::want_lease{number, caf::actor_cast<lease_user>(&self_), longest});
}

// --- UPSTREAM ------------------------------------------------------------------------------------

upstream_actor::upstream_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                               context_ptr shared, guard_set guards)
    : pinned(cfg, unit),
      shared_(std::move(shared)),
      guards_(std::move(guards)),
      sessions_(*this),
      questions_(*this, guards_, *peers_),
      queue_(*shared_, questions_, *this),
      lists_(*shared_, *this) {
  set_down_handler([this](caf::down_msg& m) { child_down(m); });
  peers_->tools = shared_->tools;
  if (is_granted(shared_->config.auth.strategy)) spawn_credentials();
}

upstream_actor::behavior_type upstream_actor::make_behavior() {
  if (const auto* channel = lists_.channel())
    send(shared_->store, listen_to_store{{*channel}, caf::actor_cast<store_listener>(this)});
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](invoke& m) { retiring_ ? refuse(m, nullptr) : queue_.enter(m); },
      [this](const admitted& m) { on(m); },
      [this](const wake_me& m) {
        timers_.set(m.who, m.at);
        arm();
      },
      [this](const timer_due& m) { on_timer(m.at); },
      [this](const lease_told& m) { on(m); },
      [this](fetch_list& m) { retiring_ ? refuse(m, nullptr) : lists_.fetch(m, clock().now()); },
      [this](const cancel_call& m) { cancel(m); },
      [this](const client_reply& m) { sessions_.tell(session::number_of(m.session), m); },
      [this](const client_progress& m) { sessions_.tell(session::number_of(m.session), m); },
      [this](profile_changed& m) {
        queue_.change_profile(m);
        sessions_.pass(m.client, m);
      },
      [this](client_notice& m) { sessions_.pass(m.client, m); },
      [this](const client_ended& m) { queue_.client_left(m); },
      [this](const introduce& m) { have_introduced(m); },
      [this](const release_root& m) { end_roots(m); },
      [this](subscribe_again& m) {
        queue_.client_back(m.client);
        if (!retiring_) send(sessions_.bridged(m.client), std::move(m));
      },
      [this](unsubscribe& m) { sessions_.pass(m.client, m); },
      [this](probe& m) {
        if (!retiring_) send(sessions_.root({}), std::move(m));
      },
      [this](const session_idle& m) {
        m.client ? sessions_.end_idle(m) : end_root({m.as, m.principal});
      },
      [this](const watches_changed& m) { watch(m); },
      [this](const list_read& m) { lists_.on(m); },
      [this](const list_heard& m) { lists_.on(m, clock().now()); },
      [this](const store_told& m) { lists_.on(m, clock().now()); },
      [this](const store_heard& m) {
        if (!retiring_) lists_.on(m, clock().now());
      },
      [this](const store_turned& m) {
        if (!retiring_) lists_.on(m, clock().now());
      },
      [this](look_again m) { lists_.again(m.number, clock().now()); },
      [this](const tools_settled& m) { sessions_.tell_everybody(m); },
      [this](probe_endpoint& m) { check(m); },
      [this](const breaker_told& m) { peers_->circuit = m; },
      [this](show_circuit) -> breaker_told {
        return {shared_->config.index, peers_->circuit.state, peers_->circuit.clean};
      },
      [this](const replaced<breaker_handle>& m) {
        take(guards_.breaker, m);
        peers_->circuit = {};  // it will tell
        queue_.nobody_at(station::breaker);
      },
      [this](const replaced<budget_handle>& m) {
        take(guards_.budget, m);
        queue_.nobody_at(station::budget);
      },
      [this](const replaced<balancer_handle>& m) { take(guards_.balancer, m); },
      [this](const retire& m) { retire_now(m); },
      [this](respawn_credentials) { spawn_credentials(); },
  };
}

void upstream_actor::on_exit() {
  // Whoever ends UPSTREAM ends its sessions: they have nobody to answer for them any more.
  sessions_.kill_all();
  if (credentials_) caf::anon_send_exit(credentials_, caf::exit_reason::kill);
  credentials_ = nullptr;
  queue_.drop_all();
  // So that nobody keeps another alive in a circle; nothing comes any more that would look at them.
  guards_ = {};
  shared_ = nullptr;
}

// --- what comes before a session -----------------------------------------------------------------

void upstream_actor::enter(fetch_list& m) {
  retiring_ ? refuse(m, nullptr) : queue_.enter(m);
}

void upstream_actor::on(const admitted& m) {
  // Given back at once if nobody waits for it any more.
  queue_.on_admitted(m,
                     m.price ? std::make_shared<charged_ahead>(guards_.budget, *m.price) : nullptr);
}

void upstream_actor::on(const lease_told& m) {
  const bool leased = m.lease != 0 && m.lease != lease_told::not_leased;
  // Given back at once if nobody waits for it any more.
  queue_.on_lease(m, leased ? std::make_shared<lent_lease>(guards_.breaker, m.lease) : nullptr);
}

template <class Guard>
void upstream_actor::take(Guard& mine, const replaced<Guard>& m) {
  mine = m.now;
  sessions_.tell_everybody(m);
}

void upstream_actor::pass_on(invoke& m) {
  if (!m.anywhere) return hand_over(sessions_.bridged(m.client), std::move(m));
  if (auto s = sessions_.any(m.client, audience_of(m.as, m.caller)))
    return hand_over(s, std::move(m));
  refuse(m, nullptr);
}

void upstream_actor::pass_on(fetch_list& m) {
  if (m.profile) return send(sessions_.bridged(m.client), std::move(m));
  const auto whose = audience_of(m.as, m.caller);
  if (auto s = m.client ? sessions_.any(m.client, whose) : sessions_.root(whose))
    return send(s, std::move(m));
  refuse(m, nullptr);
}

void upstream_actor::refuse(const invoke& m, std::shared_ptr<const refusal> why) {
  answered nobody;
  nobody.call = m.call;
  nobody.upstream = shared_->config.index;
  if (!why) nobody.why = no_answer::connect_failed;
  nobody.refused = std::move(why);
  nobody.upstream_calls = 0;
  send(shared_->router, std::move(nobody));
}

void upstream_actor::refuse(const fetch_list& m, std::shared_ptr<const refusal> why) {
  auto nothing = answer_to(m, shared_->config.index);
  nothing.refused = std::move(why);
  if (m.share) lists_.on(list_read{m.share, nullptr});  // others need not wait for it
  send(shared_->router, std::move(nothing));
}

void upstream_actor::ask(store_request what) {
  send(shared_->store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void upstream_actor::look_later(std::uint64_t number) {
  delayed_send(this, limits::store_list_look, look_again{number});
}

// --- sessions ------------------------------------------------------------------------------------

upstream_session_handle upstream_actor::make(const role& what) {
  session_handles whom{caf::actor_cast<upstream_handle>(this), guards_, credentials_};
  auto made = upstream_session_handle(
      spawn<session_actor, caf::monitored>(unit(), shared_, peers_, what, std::move(whom)));
  timers_.add(made.id());
  return made;
}

void upstream_actor::spawn_credentials() {
  credentials_parts parts{shared_->config, shared_->egress, shared_->outside,
                          shared_->credential_fetches};
  credentials_ = spawn<credentials_actor, caf::monitored>(unit(), std::move(parts));
  sessions_.tell_everybody(replaced<credentials_handle>{credentials_});
}

/// Everybody shares a root session, unless the upstream can tell callers apart.
upstream_actor::audience upstream_actor::audience_of(mcp::capability_profile as,
                                                     const identity::caller_ptr& caller) const {
  return {as, shared_->config.per_caller && caller ? caller->who.key : 0};
}

void upstream_actor::have_introduced(const introduce& m) {
  if (retiring_) return;
  if (m.profile) return send(sessions_.bridged(m.client), m);
  if (auto s = sessions_.root(audience_of(m.as, m.caller))) return send(s, m);
  send(shared_->router, introduced{shared_->config.index, false, {}, {}});
}

/// All that is watched by one credential is one root session's, of clients that can do nothing.
void upstream_actor::watch(const watches_changed& m) {
  if (m.settled) return sessions_.tell_everybody(m);
  const audience whose{0, m.principal};
  // (Nobody's credential is to be had without the caller.)
  const bool wanted =
      !retiring_ && peers_->watches.any(m.principal) && (m.caller || m.principal == 0);
  if (!wanted && !sessions_.has_root(whose)) return;
  if (auto s = sessions_.root(whose)) send(s, m);
}

void upstream_actor::check(probe_endpoint& m) {
  if (retiring_) return;
  if (m.endpoint < shared_->to.size()) return void(sessions_.make(role{.check = std::move(m)}));
  send(m.asker, endpoint_probed{m.round, m.endpoint, false, "there is no such endpoint"});
}

/// ROUTER has answered it already.
void upstream_actor::cancel(const cancel_call& m) {
  // It may be in a session that is closing already, or have gone over a root session.
  sessions_.tell_all_of(m.client, m);
  if (m.anywhere) sessions_.tell_all_of(0, m);
  queue_.cancel(m);
}

// --- ends ----------------------------------------------------------------------------------------

void upstream_actor::end_session(std::uint64_t client, close_session how) {
  sessions_.end_bridged(client, how);
}

void upstream_actor::end_roots(const release_root& m) {
  if (m.principal) return end_root({m.as, m.principal});
  for (const auto& whose : sessions_.roots_of(m.as)) end_root(whose);
}

void upstream_actor::end_root(audience a) {
  // It may listen for clients that can do more.
  if (a.first == 0 && !retiring_ && peers_->watches.any(a.second)) return;
  sessions_.end_root(a);
}

/// Nothing new from now on. What is parked is let through first, if it is to be finished.
void upstream_actor::retire_now(const retire& m) {
  for (auto& list : lists_.take_all()) m.finish_first ? enter(list) : refuse(list, nullptr);
  retiring_ = true;
  if (!m.finish_first) queue_.refuse_all();
  if (!queue_.empty()) return;
  sessions_.tell_everybody(close_session{.finish_first = m.finish_first, .quietly = m.quietly});
  sessions_.forget_all();
  if (sessions_.empty()) quit();
}

void upstream_actor::emptied() {
  if (retiring_) retire_now({.finish_first = true});
}

void upstream_actor::child_down(const caf::down_msg& m) {
  if (credentials_ && credentials_.address() == m.source) {
    log::error("CREDENTIALS crashed and is restarted.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    credentials_ = nullptr;
    sessions_.tell_everybody(replaced<credentials_handle>{});
    return delayed_send(this, limits::restart_first, respawn_credentials{});
  }
  const auto was = sessions_.ended(m.source);
  if (!was) return;
  timers_.drop(m.source.id());
  const bool crashed = m.reason != caf::exit_reason::normal;
  if (crashed && was->check) {
    log::error("A check of an endpoint died.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    send(was->check->asker,
         endpoint_probed{was->check->round, was->check->endpoint, false, "the check died"});
  } else if (crashed) {
    log::error("An upstream session died; the next request gets a new one.",
               {{"upstream", shared_->config.id}, {"reason", caf::to_string(m.reason)}});
    send(shared_->router,
         session_lost{shared_->config.index, was->client, was->as, was->principal});
  }
  if (const auto whose = peers_->watches.end(m.source.id())) watch({*whose, nullptr});
  // Whoever watches by it says so again, and with it by which credential.
  if (crashed && !was->client && !retiring_) sessions_.tell_everybody(watches_changed{});
  if (retiring_ && sessions_.empty() && queue_.empty()) quit();
}

// --- timers --------------------------------------------------------------------------------------

void upstream_actor::arm() {
  if (const auto at = timers_.arm()) delayed_send(this, *at - clock().now(), timer_due{*at});
}

void upstream_actor::on_timer(session_timers::time_point at) {
  for (const auto& [when, who] : timers_.due(at, clock().now()))
    sessions_.tell(who, session_tick{when});
  arm();
}

}  // namespace gate::upstream
