#pragma once
/// UPSTREAM: everything that belongs to one upstream on one unit: a root session for each
/// capability profile of clients, one bridged session per client, and their supervision. A session
/// that dies takes only its own calls with it; ROUTER is told, and the next request gets a new
/// session. Spawned and supervised by GATEWAY.
///
/// Also stage 6 of the pipeline: calls and lists pass BUDGET, which knows the upstream's limit,
/// then BREAKER, before a session gets them. Where no limit is configured and the circuit is closed
/// nobody is asked.
///
///   a request is at      it goes on when           it is refused when       if that one crashes
///   BUDGET               admitted                  there is no room         as admitted
///   BREAKER, closed      at once                   -                        -
///   BREAKER, half open   leased, or closed again   somebody else has it     as closed
///   BREAKER, open        -                         at once                  as closed
///
/// What waits is parked here, where a cancellation finds it. An end of its client's session takes
/// it along, unless the client only has nothing more to do here: then that session ends after it.
/// When UPSTREAM retires, parked requests are answered: at once as unavailable, or, if what runs is
/// to be finished, as ever; nothing new is taken. Checks of endpoints are dropped without a word:
/// there is nothing left to balance.
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <set>
#include <unordered_map>
#include <variant>

#include "actors/upstream/context.hpp"
#include "actors/upstream/list_share.hpp"
#include "actors/upstream/numbered_queue.hpp"
#include "actors/upstream/peers.hpp"
#include "actors/upstream/role.hpp"
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
using upstream_base = store_asker::extend_with<store_listener>::extend_with<upstream_actor>::extend<
    caf::reacts_to<timer_due>, caf::reacts_to<respawn_credentials>, caf::reacts_to<look_again>>;

class upstream final : public pinned<upstream_base::base> {
 public:
  upstream(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared, guard_set guards);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(gate::role::upstream); }

 private:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr auto never = time_point::max();

  /// Which root session: of which kind of clients, on behalf of which caller.
  using audience = std::pair<mcp::capability_profile, std::uint64_t>;

  // upstream_lists.cpp: lists that instances of a fleet share
  void fetch(fetch_list& m);
  void on(const store_told& m);
  void on(const list_read& m);
  void on(const list_heard& m);
  void on(const store_heard& m);
  void on(const store_turned& m);
  void on(look_again m);
  void ask(std::optional<store_request> what);

  // upstream_guards.cpp: what comes before a session
  enum class station : std::uint8_t { budget, breaker };
  struct parked {
    std::variant<invoke, fetch_list> what;
    station at = station::budget;
  };
  template <class Request>
  void enter(Request& m);
  template <class Request>
  void at_breaker(Request& m);
  template <class Request>
  void park(Request& m, station at);
  void pass_on(invoke& m);
  void pass_on(fetch_list& m);
  void refuse(const invoke& m, std::shared_ptr<const refusal> why);
  void refuse(const fetch_list& m, std::shared_ptr<const refusal> why);
  void on_admitted(const admitted& m);
  void on_lease(const lease_told& m);
  void nobody_at(station at);
  void cancel(const cancel_call& m);
  void client_left(const client_ended& m);
  void change_profile(profile_changed& m);
  void refuse_parked();
  void unparked();
  void retire_now(const retire& m);

  void have_introduced(const introduce& m);
  void check(probe_endpoint& m);
  void watch(const watches_changed& m);
  upstream_session_actor make_session(role r);
  audience audience_of(mcp::capability_profile as, const identity::caller_ptr& caller) const;
  /// Null: there are too many.
  upstream_session_actor root(audience a);
  /// Whoever asks for one hands it a request.
  upstream_session_actor& bridged(std::uint64_t client);
  /// The client's session if there is one, else a root session.
  upstream_session_actor any(std::uint64_t client, audience a);
  template <class Message>
  void tell_everybody(const Message& m) {
    for (const auto& [id, c] : children_) tell(c, m);
  }
  void end_roots(mcp::capability_profile as);
  void end_root(audience a);
  void spawn_credentials();
  /// All sessions of the client (0: the root sessions), those that are closing included.
  void tell_all(std::uint64_t client, const cancel_call& m);
  /// To the client's session, if there is one.
  template <class Message>
  void pass(std::uint64_t client, Message& m) {
    auto it = bridged_.find(client);
    if (it != bridged_.end()) send(it->second.session, std::move(m));
  }
  void child_down(const caf::down_msg& m);
  struct child;
  template <class Message>
  void tell(const child& c, Message m);
  void end_bridged(std::uint64_t client, close_session how);
  void end_idle(const session_idle& m);
  void wake(const wake_me& m);
  void on_timer(time_point at);
  void arm();
  void quit_when_done();

  context_ptr shared_;
  peers_ptr peers_ = std::make_shared<peers>();
  std::optional<list_share> lists_;  ///< nothing: they are not shared
  guard_set guards_;                 ///< null: crashed, or there is none
  credentials_actor credentials_;    ///< null: no authorization server is asked
  std::map<audience, upstream_session_actor> roots_;
  struct bridge {
    upstream_session_actor session;
    std::uint64_t handed = 0;  ///< so many requests were put into its mailbox
  };
  std::unordered_map<std::uint64_t, bridge> bridged_;
  /// A live session, one that is closing included.
  struct child {
    caf::actor_addr address;
    role what;
    time_point wake = never;
  };
  std::unordered_map<caf::actor_id, child> children_;
  std::unordered_multimap<std::uint64_t, caf::actor_id> by_client_;
  /// What the sessions wait for, earliest first; one entry a session, one timer for all.
  std::set<std::pair<time_point, caf::actor_id>> timers_;
  time_point armed_ = never;
  numbered_queue<parked> parked_;  ///< for a guard's answer
  /// Whose sessions end as soon as nothing is parked for them.
  std::set<std::uint64_t> leaving_;
  rate_scopes_ptr counted_in_;  ///< the upstream's own limit; null before it was asked about
  std::shared_ptr<const refusal> circuit_open_;
  bool retiring_ = false;  ///< nothing new is taken
};

template <class Message>
void upstream::tell(const child& c, Message m) {
  if (auto to = caf::actor_cast<caf::strong_actor_ptr>(c.address))
    send(caf::actor_cast<upstream_session_actor>(to), std::move(m));
}

}  // namespace gate::upstream

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::timer_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::look_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::respawn_credentials)
