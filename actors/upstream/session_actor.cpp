#include "actors/upstream/session_actor.hpp"

#include <array>

#include "protocol/base/base64url.hpp"

namespace gate::upstream {

// --- the guards ----------------------------------------------------------------------------------

bool remote_guards::charge(std::uint64_t number, const allowances_ptr& costs) {
  const auto& budget = of_.guards.budget;
  if (budget) self_.send(budget, gate::charge{number, costs, caf::actor_cast<budget_user>(&self_)});
  return bool(budget);
}

/// Works are dropped when their session has ended, too.
void remote_guards::refund(gate::refund what) {
  if (const auto& budget = of_.guards.budget) caf::anon_send(budget, std::move(what));
}

bool remote_guards::ended(verdict how) {
  const auto& breaker = of_.guards.breaker;
  if (breaker) self_.send(breaker, request_ended{how, 0});
  return bool(breaker);
}

void remote_guards::reached() {
  if (const auto& breaker = of_.guards.breaker) self_.send(breaker, upstream_reached{});
}

bool remote_guards::pick(std::uint64_t number, const std::vector<std::size_t>& tried) {
  const auto& balancer = of_.guards.balancer;
  if (balancer)
    self_.send(balancer, pick_endpoint{number, tried, caf::actor_cast<endpoint_user>(&self_)});
  return bool(balancer);
}

void remote_guards::failed(std::size_t endpoint) {
  if (const auto& balancer = of_.guards.balancer) self_.send(balancer, endpoint_failed{endpoint});
}

bool remote_guards::want_credential(const identity::caller_ptr& caller, const trace_ptr& trace) {
  const auto& credentials = of_.credentials;
  if (credentials)
    self_.send(credentials,
               gate::want_credential{caller, caf::actor_cast<credential_user>(&self_), trace});
  return bool(credentials);
}

void remote_guards::refused(credential_refused m) {
  if (const auto& credentials = of_.credentials) self_.send(credentials, std::move(m));
}

// --- lists, which UPSTREAM may share with other instances ----------------------------------------

void session_actor::tell(listed m) {
  if (m.share) caf::anon_send(handles_.parent, list_read{m.share, std::exchange(m.raw, nullptr)});
  caf::anon_send(shared_->router, std::move(m));
}

/// UPSTREAM first: ROUTER will ask it for the new list.
void session_actor::tell(list_changed m) {
  if (shared_->store) caf::anon_send(handles_.parent, list_heard{m.kind, m.certain, m.client == 0});
  caf::anon_send(shared_->router, std::move(m));
}

namespace {

/// The check of an endpoint is none.
metrics::value count_as(const role& who, const context& of) {
  if (who.check) return {};
  return of.sessions[who.client ? upstream_session::bridged : upstream_session::root];
}

}  // namespace

// --- the actor -----------------------------------------------------------------------------------

session_actor::session_actor(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared,
                             peers_ptr others, role who, session_handles handles)
    : pinned(cfg, unit),
      shared_(std::move(shared)),
      peers_(std::move(others)),
      handles_(std::move(handles)),
      guards_(*this, handles_),
      name_(name_of(who.client  ? gate::role::bridged_session
                    : who.check ? gate::role::endpoint_check
                                : gate::role::root_session)),
      bridged_(who.client != 0),
      counted_(count_as(who, *shared_)) {
  core_.emplace(*shared_, std::move(who), id(), static_cast<session_doors&>(*this), guards_,
                *peers_);
}

session_actor::behavior_type session_actor::make_behavior() {
  if (bridged_) shared_->bridged.add(1);
  counted_.add(1);
  core_->begin();
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](fetched& m) { core_->on(m); },
      [this](invoke& m) { core_->on(m); },
      [this](const charged& m) { core_->on(m); },
      [this](streamed& m) { core_->on(m); },
      [this](const session_tick& m) { core_->on(m); },
      [this](const cancel_call& m) { core_->on(m); },
      [this](client_reply& m) { core_->on(m); },
      [this](client_progress& m) { core_->on(m); },
      [this](const profile_changed& m) { core_->on(m); },
      [this](const client_notice& m) { core_->on(m); },
      [this](const fetch_list& m) { core_->on(m); },
      [this](const introduce& m) { core_->on(m); },
      [this](probe& m) { core_->on(m); },
      [this](const close_session& m) { core_->on(m); },
      [this](const watches_changed& m) { core_->on(m); },
      [this](const tools_settled& m) { core_->on(m); },
      [this](reopen_stream) { core_->reopen(); },
      [this](credential_told& m) { core_->on(m); },
      [this](const endpoint_picked& m) { core_->on(m); },
      [this](subscribe_again& m) { core_->on(m); },
      [this](const unsubscribe& m) { core_->on(m); },
      [this](replaced<credentials_handle>& m) {
        handles_.credentials = std::move(m.now);
        core_->credentials_replaced();
      },
      [this](const replaced<budget_handle>& m) {
        handles_.guards.budget = m.now;
        core_->budget_replaced();
      },
      [this](const replaced<balancer_handle>& m) {
        handles_.guards.balancer = m.now;
        core_->balancer_replaced();
      },
      [this](const replaced<breaker_handle>& m) { handles_.guards.breaker = m.now; },
  };
}

void session_actor::on_exit() {
  if (bridged_) shared_->bridged.add(-1);
  counted_.add(-1);
  core_.reset();
  handles_ = {};
  peers_ = nullptr;
  shared_ = nullptr;
}

std::string session_actor::secret_name() const {
  std::array<std::uint8_t, 16> bytes{};
  shared_->outside.random(bytes);
  return base64url_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<std::string> session_actor::secret(std::string_view name) const {
  return shared_->outside.secrets(name);
}

void session_actor::start(fetch_ptr what) {
  hand_over(shared_->egress, start_fetch{std::move(what), caf::actor_cast<fetch_client>(this)});
}

void session_actor::abandon(std::uint64_t fetch) {
  send(shared_->egress, abandon_fetch{fetch, caf::actor_cast<fetch_client>(this)});
}

void session_actor::reopen_after(std::chrono::nanoseconds pause) {
  delayed_send(this, pause, reopen_stream{});
}

void session_actor::log(log::level l, std::string_view sentence,
                        std::initializer_list<log::field> fields) {
  log::write(l, sentence, fields);
}

void session_actor::count(outcome how) {
  shared_->requests[how].add();
}

void session_actor::observe(std::chrono::duration<double> lasted) {
  shared_->duration.observe(lasted.count());
}

}  // namespace gate::upstream
