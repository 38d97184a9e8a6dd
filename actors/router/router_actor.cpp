#include "actors/router/router_actor.hpp"

#include <algorithm>

#include "actors/router/chain.hpp"
#include "transport/parcel.hpp"

namespace gate {

using pipeline::partner;

namespace {

void hand_on(router_actor& self, for_health& m) {
  std::visit([&]<class M>(M&& what) { self.send(m.to, std::forward<M>(what)); }, std::move(m.what));
}

}  // namespace

router_actor::router_actor(caf::actor_config& cfg, caf::execution_unit* unit, router_setup with,
                           snapshot_ptr snapshot)
    : pinned(cfg, unit),
      with_(std::move(with)),
      it_(with_, *this, *this, *this, {with_.audit, with_.activity, with_.recorder},
          std::move(snapshot)) {}

router_actor::behavior_type router_actor::make_behavior() {
  for (auto& source : with_.key_sources)
    if (source) send(source, listen_for_keys{caf::actor_cast<keys_listener>(this)});
  it_.export_to(std::move(with_.traces));
  it_.start();
  if (it_.fleet)
    send(with_.store, listen_to_store{{it_.fleet->sessions.line().channel()},
                                      caf::actor_cast<store_listener>(this)});
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](arrival& m) { it_.entry.take_in(std::move(m.from), false, false); },
      [this](const answered& m) { it_.calls.on_answered(m); },
      // From RATE LIMITER.
      [this](const admitted& m) { it_.entry.on_admitted(m); },
      // From UPSTREAM and its sessions.
      [this](const call_notification& m) { it_.calls.on_call_notification(m); },
      [this](client_notification& m) { it_.calls.on_client_notification(m); },
      [this](server_request& m) { it_.requests.on_server_request(m); },
      [this](const server_request_cancelled& m) { it_.requests.on_server_request_cancelled(m); },
      [this](listed& m) { it_.calls.on_listed(m); },
      [this](const list_changed& m) { it_.news.on_list_changed(m); },
      [this](introduced& m) { it_.met.on_introduced(m); },
      [this](const bridge_opened& m) {
        if (it_.fleet) it_.fleet->sessions.on_bridge(m);
      },
      [this](const subscribed& m) { it_.listening.on_subscribed(m); },
      [this](const session_lost& m) { it_.calls.on_session_lost(m); },
      // From INGRESS.
      [this](const body_read& m) { it_.entry.on_body_read(m.number); },
      [this](const client_gone& m) { it_.on_client_gone(m.number); },
      // From KEY SET and MINT.
      [this](keys_told& m) { it_.entry.keys().on_keys(m); },
      [this](const redeemed& m) { it_.beside.on_redeemed(m); },
      // From STORE.
      [this](const store_told& m) { it_.fleet->sessions.line().on_told(m); },
      [this](const store_heard& m) { it_.fleet->sessions.on_heard(m); },
      [this](const store_turned& m) { it_.fleet->sessions.line().on_turned(m.here); },
      // From GATEWAY.
      [this](replaced<keys_handle>& m) { on_keys_replaced(m); },
      [this](replaced<mint_handle>& m) {
        with_.mint = std::move(m.now);
        if (!with_.mint) routing::lose<partner::mint>(it_.shared());
      },
      [this](replaced<rate_limiter_handle>& m) {
        with_.limiter = std::move(m.now);
        if (!with_.limiter) routing::lose<partner::limiter>(it_.shared());
      },
      [this](replaced<budget_handle>& m) { with_.budget = std::move(m.now); },
      [this](federation_update& m) { on_update(m); },
      [this](replaced<upstream_handle>& m) { on_upstream_replaced(m); },
      [this](for_health& m) { hand_on(*this, m); },
      [this](replaced<health_handle>& m) { with_.health = std::move(m.now); },
      [this](replaced<audit_handle>& m) { it_.audit().replace(std::move(m.now)); },
      [this](replaced<tasks_handle>& m) {
        with_.tasks = std::move(m.now);
        it_.tasks.mintings().tell_again();
      },
      [this](replaced<traces_handle>& m) { it_.export_to(std::move(m.now)); },
      [this](const activity_told& m) { it_.beside.of_viewers().on_told(m); },
      [this](replaced<activity_handle>& m) {
        with_.activity = m.now;
        it_.audit().replace(std::move(m.now));
        if (!with_.activity) it_.beside.of_viewers().lost_activity();
      },
      [this](wind_down) { it_.wind_down(); },
      [this](end_calls) { it_.refuse_all(); },
      // From itself.
      [this](router_timer m) { it_.on_timer(m.what); },
  };
}

void router_actor::on_exit() {
  it_.clear();
  upstreams_.clear();
  with_.health = nullptr;
  with_.audit = nullptr;
  with_.activity = nullptr;
  with_.recorder = nullptr;
  with_.tasks = nullptr;
  with_.mint = nullptr;
  with_.limiter = nullptr;
  with_.budget = nullptr;
  with_.gateway = nullptr;
  with_.store = nullptr;
  with_.key_sources.clear();
}

// --- upstreams -----------------------------------------------------------------------------------

void router_actor::ask(std::size_t index, invoke question) {
  if (there(index)) return hand_over(upstreams_[index], std::move(question));
  // It crashed and its successor does not run yet.
  answered nobody;
  nobody.call = question.call;
  nobody.upstream = index;
  nobody.why = no_answer::connect_failed;
  nobody.upstream_calls = 0;
  send(this, std::move(nobody));
}

void router_actor::tell(std::size_t index, routing::to_upstream what) {
  if (!there(index)) return;
  std::visit([&]<class M>(M&& m) { send(upstreams_[index], std::forward<M>(m)); }, std::move(what));
}

void router_actor::on_upstream_replaced(replaced<upstream_handle>& m) {
  if (m.index >= upstreams_.size()) return;
  upstreams_[m.index] = std::move(m.now);
  if (!upstreams_[m.index]) return it_.calls.on_upstream_lost(m.index);
  it_.subscriptions.lost(m.index);
  it_.subscriptions.renew();
}

void router_actor::on_update(federation_update& m) {
  upstreams_ = std::move(m.upstreams);
  slots_ = std::max({slots_, upstreams_.size(), m.snapshot->slots});
  upstreams_.resize(slots_);
  it_.adopt(std::move(m.snapshot), slots_);
}

// --- whom calls wait for -------------------------------------------------------------------------

void router_actor::meter(std::uint64_t call, const rate_scopes_ptr& scopes) {
  send(with_.limiter, admit{call, scopes, caf::actor_cast<admission_user>(this)});
}

void router_actor::on_keys_replaced(replaced<keys_handle>& m) {
  auto& actor = with_.key_sources[m.index];
  actor = std::move(m.now);
  if (actor)
    send(actor, listen_for_keys{caf::actor_cast<keys_listener>(this)});
  else
    it_.entry.keys().lost(m.index);
}

void router_actor::find_tasks(std::uint64_t call, gate::find_tasks question) {
  request(with_.tasks, caf::infinite, std::move(question))
      .then([this, call](const tasks_found& f) { it_.tasks.on_found(call, f); },
            [this, call](const caf::error&) {
              routing::do_without<partner::ledger>(it_.shared(), call);
            });
}

bool router_actor::redeem(gate::redeem what) {
  if (!with_.mint) return false;
  send(with_.mint, redeem_for{std::move(what), caf::actor_cast<redeemer_handle>(this)});
  return true;
}

void router_actor::ask_health(std::uint64_t call) {
  request(with_.health, caf::infinite, gate::ask_health{})
      .then([this, call](const health_report& r) { it_.beside.on_health(call, r); },
            [this, call](const caf::error&) {
              routing::do_without<partner::health>(it_.shared(), call);
            });
}

void router_actor::inquire(std::uint64_t call, routing::inquiry_question what) {
  using namespace routing;
  const auto told = [this, call](inquiry_answer a) {
    it_.beside.of_viewers().on(call, std::move(a));
  };
  const auto ask = [&](const auto& whom, auto question, auto as_answer, inquiry_answer nobody) {
    if (!whom) return told(std::move(nobody));
    request(whom, caf::infinite, std::move(question))
        .then(std::move(as_answer), [told, nobody](const caf::error&) { told(nobody); });
  };
  if (auto* text = std::get_if<ask_metrics>(&what))
    return ask(
        with_.health, *text, [told](metrics_text& m) { told(std::move(m)); }, no_text{});
  if (auto* text = std::get_if<ask_federation>(&what))
    return ask(
        with_.health, std::move(*text), [told](federation_text& m) { told(std::move(m)); },
        no_text{});
  if (auto* page = std::get_if<read_activity>(&what))
    return ask(
        with_.activity, std::move(*page), [told](activity_page& m) { told(std::move(m)); },
        no_text{});
  if (auto* circuit = std::get_if<circuit_question>(&what))
    return ask(
        there(circuit->upstream) ? upstreams_[circuit->upstream] : upstream_handle{},
        show_circuit{}, [told](breaker_told& m) { told(m); }, no_circuit{});
  if (auto* used = std::get_if<usage_question>(&what)) {
    const bool of_requests = used->of_requests;
    const auto as_answer = [told, of_requests](usage_shown& m) {
      told(usage_answer{of_requests, std::move(m)});
    };
    if (of_requests)
      return ask(with_.limiter, std::move(used->what), as_answer, usage_answer{true, {}});
    return ask(with_.budget, std::move(used->what), as_answer, usage_answer{false, {}});
  }
  if (auto* stream = std::get_if<follow_activity>(&what)) {
    if (!with_.activity) return told(no_text{});
    stream->reader = caf::actor_cast<activity_reader>(this);
    return send(with_.activity, std::move(*stream));
  }
  auto& end = std::get<unfollow_activity>(what);
  if (!with_.activity) return;
  end.reader = caf::actor_cast<activity_reader>(this);
  send(with_.activity, std::move(end));
}

// --- time ----------------------------------------------------------------------------------------

routing::time_point router_actor::now() const {
  return const_cast<router_actor*>(this)->clock().now();
}

}  // namespace gate
