#pragma once
/// UPSTREAM SESSION, the actor: hands messages to its core (session.hpp, where all is decided) and
/// performs what the core wants. Spawned and supervised by UPSTREAM, answers to ROUTER.
#include <caf/typed_event_based_actor.hpp>
#include <optional>

#include "actors/upstream/context.hpp"
#include "actors/upstream/session.hpp"
#include "transport/parcel.hpp"
#include "transport/pinned.hpp"

namespace gate::upstream {

/// To itself: the stream may be opened again.
struct reopen_stream {};

using session_base = upstream_session_handle::extend<caf::reacts_to<reopen_stream>>;

/// Whom a session has to ask.
struct session_handles {
  upstream_handle parent;
  guard_set guards;
  credentials_handle credentials;  ///< null: the strategy needs none
};

/// The guards of one session, who get its questions from it.
class remote_guards final : public session_guards {
 public:
  remote_guards(session_base::base& self, const session_handles& of) : self_(self), of_(of) {}

  bool charge(std::uint64_t number, const allowances_ptr& costs) override;
  void refund(gate::refund what) override;
  bool ended(verdict how) override;
  void reached() override;
  bool pick(std::uint64_t number, const std::vector<std::size_t>& tried) override;
  void failed(std::size_t endpoint) override;
  bool want_credential(const identity::caller_ptr& caller, const trace_ptr& trace) override;
  void refused(credential_refused m) override;

 private:
  session_base::base& self_;
  const session_handles& of_;
};

class session_actor final : public pinned<session_base::base>, private session_doors {
 public:
  session_actor(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared,
                peers_ptr others, role who, session_handles handles);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_; }

 private:
  time_point now() const override { return clock().now(); }
  std::chrono::system_clock::time_point wall() const override { return shared_->outside.wall(); }
  std::string secret_name() const override;
  std::optional<std::string> secret(std::string_view name) const override;
  void start(fetch_ptr what) override;
  void abandon(std::uint64_t fetch) override;
  void tell(answered m) override { hand_over(shared_->router, std::move(m)); }
  void tell(listed m) override;
  void tell(call_notification m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(client_notification m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(server_request m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(server_request_cancelled m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(introduced m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(bridge_opened m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(list_changed m) override;
  void tell(subscribed m) override { caf::anon_send(shared_->router, std::move(m)); }
  void tell(const probes_handle& who, probed m) override { send(who, std::move(m)); }
  void tell(const endpoint_prober& who, endpoint_probed m) override { send(who, std::move(m)); }
  void wake_at(time_point at) override { send(handles_.parent, wake_me{id(), at}); }
  void idle(session_idle m) override { send(handles_.parent, std::move(m)); }
  void tell(watches_changed m) override { send(handles_.parent, std::move(m)); }
  /// (Works are dropped when their session has ended, too.)
  void tell(tools_settled m) override { caf::anon_send(handles_.parent, m); }
  void reopen_after(std::chrono::nanoseconds pause) override;
  void quit() override { pinned::quit(); }
  void log(log::level l, std::string_view sentence,
           std::initializer_list<log::field> fields) override;
  void count(outcome how) override;
  void observe(std::chrono::duration<double> lasted) override;

  context_ptr shared_;
  peers_ptr peers_;
  session_handles handles_;
  remote_guards guards_;
  const char* name_;
  bool bridged_;
  metrics::value counted_;
  std::optional<session> core_;  ///< until the end
};

}  // namespace gate::upstream

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::reopen_stream)
