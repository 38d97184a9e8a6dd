#pragma once
/// UPSTREAM: everything that belongs to one upstream on one unit: a root session for each
/// capability profile of clients, one bridged session per client, and their supervision. A session
/// that dies takes only its own calls with it; ROUTER is told, and the next request gets a new
/// session. Spawned and supervised by GATEWAY.
///
/// Whatever comes passes guards first (guard_queue.hpp, stage 6 of the pipeline), and a list that
/// instances of a fleet share may be had without asking the upstream (shared_fetches.hpp).
///
/// When UPSTREAM retires, what waits for guards is answered: at once as unavailable, or, if what
/// runs is to be finished, as ever; nothing new is taken. Checks of endpoints are dropped without a
/// word: there is nothing left to balance.
#include <caf/typed_event_based_actor.hpp>

#include "actors/upstream/context.hpp"
#include "actors/upstream/guard_queue.hpp"
#include "actors/upstream/live_sessions.hpp"
#include "actors/upstream/peers.hpp"
#include "actors/upstream/session_timers.hpp"
#include "actors/upstream/shared_fetches.hpp"
#include "transport/pinned.hpp"

namespace gate::upstream {

/// To itself: some session's deadline may be due.
struct timer_due {
  std::chrono::steady_clock::time_point at;
};

struct respawn_credentials {};
/// To itself: another instance may have fetched the list that this question is about.
struct look_again {
  std::uint64_t number = 0;
};
using upstream_base =
    store_asker::extend_with<store_listener>::extend_with<upstream_handle>::extend<
        caf::reacts_to<timer_due>, caf::reacts_to<respawn_credentials>, caf::reacts_to<look_again>>;

/// The guards of an upstream, and where its questions to them come from.
class asked_for_requests final : public request_guards {
 public:
  asked_for_requests(upstream_base::base& self, const guard_set& guards, const peers& all)
      : self_(self), guards_(guards), all_(all) {}

  bool has(station whom) const override;
  void want_admission(std::uint64_t number, rate_scopes_ptr scopes, allowances_ptr costs) override;
  void want_lease(std::uint64_t number, std::chrono::milliseconds longest) override;
  breaker_state circuit() const override { return all_.circuit.state; }

 private:
  upstream_base::base& self_;
  const guard_set& guards_;
  const peers& all_;
};

class upstream_actor final : public pinned<upstream_base::base>,
                             private session_maker,
                             private guard_queue::doors,
                             private shared_fetches::doors {
 public:
  upstream_actor(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared,
                 guard_set guards);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(gate::role::upstream); }

 private:
  using audience = live_sessions::audience;
  using station = request_guards::station;

  upstream_session_handle make(const role& what) override;
  void pass_on(invoke& m) override;
  void pass_on(fetch_list& m) override;
  void refuse(const invoke& m, std::shared_ptr<const refusal> why) override;
  void refuse(const fetch_list& m, std::shared_ptr<const refusal> why) override;
  void count(upstream_outcome how) override { shared_->requests[how].add(); }
  void end_session(std::uint64_t client, close_session how) override;
  void emptied() override;
  void ask(store_request what) override;
  void look_later(std::uint64_t number) override;
  void enter(fetch_list& m) override;
  void changed(list_changed m) override { send(shared_->router, std::move(m)); }

  void on(const admitted& m);
  void on(const lease_told& m);
  template <class Guard>
  void take(Guard& mine, const replaced<Guard>& m);
  void cancel(const cancel_call& m);
  void have_introduced(const introduce& m);
  void check(probe_endpoint& m);
  void watch(const watches_changed& m);
  void retire_now(const retire& m);
  audience audience_of(mcp::capability_profile as, const identity::caller_ptr& caller) const;
  void end_roots(const release_root& m);
  void end_root(audience a);
  void spawn_credentials();
  void child_down(const caf::down_msg& m);
  void on_timer(session_timers::time_point at);
  void arm();

  context_ptr shared_;
  peers_ptr peers_ = std::make_shared<peers>();
  guard_set guards_;                ///< null: crashed, or there is none
  credentials_handle credentials_;  ///< null: no authorization server is asked
  live_sessions sessions_;
  session_timers timers_;
  asked_for_requests questions_;
  guard_queue queue_;
  shared_fetches lists_;
  bool retiring_ = false;  ///< nothing new is taken
};

}  // namespace gate::upstream

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::timer_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::look_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::respawn_credentials)
