#pragma once
/// ROUTER: one per unit. Every request of the unit's clients enters here, is taken through the nine
/// stages (pipeline/), waits here while others work for it, and leaves through stage 9. Owns what
/// its clients share on this unit: sessions, calls in flight, the merged lists. Spawned and
/// supervised by GATEWAY; asked by INGRESS, answered by UPSTREAM and its sessions.
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "actors/federation/catalogue.hpp"
#include "actors/federation/list_places.hpp"
#include "actors/federation/profile_table.hpp"
#include "actors/guards/allowances.hpp"
#include "actors/identity/gatekeeper.hpp"
#include "actors/interfaces.hpp"
#include "actors/ops/endpoints.hpp"
#include "actors/pipeline/parked.hpp"
#include "actors/pipeline/pipeline.hpp"
#include "actors/router/abilities_memo.hpp"
#include "actors/router/body_waits.hpp"
#include "actors/sessions/renewals.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/cursor.hpp"
#include "transport/clock.hpp"
#include "transport/pinned.hpp"

namespace gate {

/// Sessions and streams are looked at this often.
inline constexpr std::chrono::seconds tick_interval{1};

/// To itself.
struct opening_tick {};
struct router_tick {};
struct sweep_on {};
struct list_tick {};
struct tell_list_changed {};
struct newcomers_due {};

using router_base =
    router_actor::extend<caf::reacts_to<router_tick>, caf::reacts_to<sweep_on>,
                         caf::reacts_to<list_tick>, caf::reacts_to<tell_list_changed>,
                         caf::reacts_to<opening_tick>, caf::reacts_to<newcomers_due>>;

/// What a ROUTER is made with; the same for all units, but for the number.
struct router_parts {
  std::uint8_t unit_number = 0;
  std::shared_ptr<gate::metrics> metrics;
  audit_actor audit;  ///< null: no audit section
  health_actor health;
  tasks_actor tasks;
  wall_clock wall;
  random_source random;
  mcp::cursor_key cursor_key{};
  identity::authority_ptr authority;
  std::vector<keys_actor> key_sources;  ///< null: being restarted
  mint_actor mint;                      ///< null: no token endpoint, or being restarted
  rate_limiter_actor limiter;           ///< null: being restarted
  departures_user gateway;              ///< is told when an upstream that was removed is left
  std::size_t own_list_bytes = limits::own_list_bytes;
};

class router final : public pinned<router_base::base>, private pipeline::desk {
 public:
  router(caf::actor_config& cfg, caf::execution_unit* unit, router_parts parts,
         snapshot_ptr snapshot);
  ~router() override;

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "router"; }

 private:
  using time_point = std::chrono::steady_clock::time_point;
  struct change;
  /// In an upstream's place: what changed is the federation.
  static constexpr std::size_t the_federation = ~std::size_t{0};
  struct waiting_call {
    std::uint64_t number;
    time_point deadline;
  };
  struct list_state {
    federation::catalogue lists;
    std::vector<waiting_call> waiting;
    mcp::capability_profile as = 0;
    std::uint64_t client = 0;     ///< for this one alone
    std::uint64_t principal = 0;  ///< for this caller alone
    identity::caller_ptr caller;  ///< with its latest token
    /// Something came or went: it is to be compared with what clients were served.
    bool compare = false;
    time_point told{};  ///< when a comparison last made news
  };
  struct list_states {
    std::vector<list_state> each;  ///< one of each kept kind
    time_point used;
    time_point since;
  };
  /// For which kind of clients, and for whom (0: everybody).
  using list_key = std::pair<mcp::capability_profile, std::uint64_t>;

  // router.cpp: requests and their answers
  void take_in(exchange_ptr from, bool of_a_batch, bool metered);
  void on_admitted(const admitted& m);
  void on_answered(const answered& m);
  void on_relayed(const relayed& m);
  void on_session_lost(const session_lost& m);
  void fail_calls(std::size_t upstream, const std::function<bool(const pipeline::call&)>& lost);
  void tell_cancelled(const pipeline::call& c, std::string_view reason);
  /// Puts a call aside until its partner has spoken.
  template <pipeline::stage S>
  std::uint64_t put_aside(pipeline::fact<S> c, pipeline::partner whom, std::size_t which = 0) {
    const auto number = calls_.add(std::move(c), whom, which);
    note_parked(*calls_.find(number));
    return number;
  }
  /// It goes on from there. Nothing: it has ended meanwhile.
  template <pipeline::stage S>
  std::optional<pipeline::fact<S>> take_call(std::uint64_t number) {
    auto c = calls_.take<S>(number);
    if (c) note_taken(**c);
    return c;
  }
  /// It ends. Null: it has ended already.
  pipeline::call_ptr end_call(std::uint64_t number);
  void note_parked(pipeline::call& c);
  void note_taken(const pipeline::call& c);
  template <pipeline::partner Whom>
  void lose();
  template <pipeline::partner Whom>
  void do_without(std::uint64_t number);
  void refuse_without(std::uint64_t number, pipeline::partner whom);
  void replace(upstream_replaced& m);

  // router_reload.cpp: another configuration
  void update(federation_update& m);
  void renew_sessions(const snapshot_ptr& before, federation::catalogue::succession& views);
  void tell_all_lists(const sessions::client_session& s);
  void leave_roots(mcp::capability_profile as, std::uint64_t principal,
                   const std::vector<const config::compiled_upstream*>& lost);
  void ask_again(std::uint64_t number);
  void renew(pipeline::call& c);
  void adopt_lists(const federation::catalogue::succession& views);
  void on_newcomers_due();
  bool tell_views(list_state& state);
  change& news_of_the_federation();
  void pass_news_on(const config::policy_view& was, const config::policy_view& is);
  void keep_news(sessions::client_session& s, const config::policy_view& was);
  void keep_news_of(std::size_t departed);
  void leave_departed();

  // router_subscriptions.cpp: subscriptions that outlive what they were made in
  void note_result(pipeline::call& c) override;
  void note_subscription(const pipeline::call& c);
  void move_subscriptions(const config::snapshot& before);
  bool may_subscribe(const sessions::client_session& s, std::size_t upstream,
                     std::string_view uri) const;
  void judge_subscriptions(sessions::client_session& s);
  void give_up_subscription(sessions::client_session& s, std::size_t upstream,
                            const std::string& uri);
  bool awaits_update(const sessions::client_session& s, std::size_t upstream,
                     std::string_view uri) const;
  void note_unsubscribed(std::size_t upstream);
  void note_unsubscribed(const sessions::client_session& s, std::size_t upstream);
  void renew_subscriptions();

  // router_identity.cpp: keys of issuers, and the endpoints that have to do with tokens
  void on_keys(keys_told& m);
  void end_untrusted();
  void on_keys_replaced(keys_replaced& m);
  void go_on_with_keys(std::size_t source);
  void redeem_assertion(pipeline::fact<pipeline::stage::host> c);
  void on_redeemed(const redeemed& m);

  // router_bodies.cpp: bodies that are read once their header has passed
  void await_body(pipeline::fact<pipeline::stage::host> c) override;
  std::uint64_t take_from_body(std::uint64_t exchange);
  void on_body_read(std::uint64_t exchange);
  void give_up_on_body(std::uint64_t exchange, std::string why);

  // router_endpoints.cpp: what is beside MCP
  void serve_endpoint(pipeline::fact<pipeline::stage::host> call);
  void serve_health(pipeline::fact<pipeline::stage::host> call);
  const std::string* published(std::string_view path) const;

  // router_tasks.cpp: where tasks run, and whose they are
  void on_tasks_found(std::uint64_t number, tasks::finding f);
  void begin_survey(pipeline::call& c);
  void on_surveyed(pipeline::call& c, const answered& m);
  void on_surveyed(pipeline::call& c, listed& m);
  void surveyed(pipeline::call& c);
  void finish_survey(std::uint64_t number);
  void end_surveys(time_point t);
  void serve_tasks(std::uint64_t number, const tasks_found& mine);
  pipeline::list_outcome tasks_page(const pipeline::call& c,
                                    std::vector<const mcp::list_item*> items) const;

  // router_abilities.cpp: what the federation can do
  void on_introduced(introduced& m);
  void not_introduced(std::size_t upstream);
  void open_waiting();
  void on_opening_tick();

  // router_questions.cpp: what upstreams ask of clients
  void on_heard(heard& m);
  void on_asked(asked& m);
  void on_updated(heard& m, sessions::client_session& s);
  void refuse_question(sessions::client_session::question q, std::string_view why,
                       int code = jsonrpc::internal_error);
  void on_withdrawn(const withdrawn& m);
  void change_profile(sessions::client_session& s, client_profile p);
  void be_present(sessions::client_session& s, bool listening, bool away);

  // router_streams.cpp: event streams of clients
  void begin_stream(pipeline::call& c);
  bool send_event(pipeline::call& c, std::string_view text);
  bool send_event(sessions::client_session& s, std::string_view text);
  void send_notices(sessions::client_session& s);
  void attach(const sessions::session_ptr& s, exchange_ptr stream, std::string_view missed);
  void await_return(sessions::client_session& s);
  void on_client_gone(std::uint64_t number);
  void give_up_on_clients(time_point t);
  void give_up_on_questions(pipeline::call& c, time_point t);
  void refuse_questions(sessions::client_session& s, std::uint64_t call);
  void say(pipeline::call& c, std::string_view text);

  // router_own_lists.cpp: whose lists a client sees
  list_state& list_of(const sessions::client_session& s, mcp::list_kind k);
  list_states* seen_lists(const sessions::client_session& s);
  void await_news(const sessions::client_session& s);
  list_states make_lists(mcp::capability_profile as, std::uint64_t principal, std::uint64_t client);
  list_states& shared_lists(mcp::capability_profile as);
  void make_room_for_lists();
  list_states& personal_lists(const sessions::client_session& s);
  static bool sees_personal(const config::snapshot& of, const config::policy_view& view);
  static bool sees_per_client(const config::snapshot& of, const config::policy_view& view);
  bool sees_own_lists(const sessions::client_session& s) const;
  bool has_own_lists(const sessions::client_session& s);
  list_states& own_lists(const sessions::client_session& s);
  bool make_room_for_own_lists(const sessions::client_session& s, bool by_share);
  void give_up_own_lists(std::uint64_t client);
  void weigh_own_lists(std::uint64_t client);
  static std::size_t bytes_of(const list_states& states);
  void lighten_own_lists();
  void erase_own_lists(std::uint64_t client);
  void forget_former_views(list_state& state);
  void forget_former_views(const sessions::client_session& s);

  // router_missed.cpp: upstreams that lists lack
  void look_again(time_point t);
  void look_again(list_state& state, std::size_t upstream, time_point t,
                  std::vector<federation::wanted>& wanted);
  bool is_charged(std::size_t upstream);
  bool can_be_told(const list_state& state) const;
  bool is_lacked(list_state& state, std::size_t upstream);
  void missed_one_answers(std::size_t upstream, std::uint64_t client);
  void announce(list_state& state, std::size_t upstream);

  // router_lists.cpp: merged lists
  list_states* find_lists(const listed& m);
  void came(list_state& state);
  std::vector<list_state*> leaning_on(const list_state& shared, std::size_t upstream);
  void for_each_list(const std::function<void(list_state&)>& f);
  pipeline::list_outcome page_for(pipeline::call& c, list_state& state);
  void fetch(list_state& state, const std::vector<federation::wanted>& what,
             const identity::access* who, std::uint64_t cause, const trace_ptr& trace = {});
  void fetch_for(pipeline::call& c, list_state& state, const std::vector<federation::wanted>& what);
  pipeline::call* caused(const list_state& state, const listed& m) const;
  void on_listed(listed& m);
  void lists_lost(std::size_t upstream, const std::function<bool(const list_state&)>& which);
  void serve_waiting(list_state& state);
  void serve(std::uint64_t number, list_state& state);
  void go_on_routing(std::uint64_t number);
  void go_on_with_page(std::uint64_t number, pipeline::list_outcome outcome);
  std::optional<std::uint64_t> offset_in(const pipeline::call& c,
                                         const mcp::cursor_content& list) const;
  std::string next_page(mcp::cursor_content list, std::uint64_t offset) const;
  void wait_for_list(std::uint64_t call, list_state& state);
  void on_list_tick();
  void serve_late(list_state& state, time_point t);
  void give_up_on_late(list_state& state, time_point t);
  void refresh(list_state& state, std::size_t also = the_federation);

  // router_changes.cpp: changed lists, and who is told
  void on_list_changed(const list_changed& m);
  void doubt(const list_changed& m);
  bool said_already(const list_changed& m);
  void tell(list_state& state, std::size_t upstream);
  void gather_news(sessions::client_session& s, std::size_t upstream, const change& c) const;
  bool concerns(const list_changed& m, const list_state& state) const;
  void own_lists_for(const list_changed& m);
  void expect_news(list_state& state);
  void compare_lists();
  void notify_clients();
  bool share_again(std::uint64_t client, std::size_t upstream, std::string_view notice);
  std::set<std::pair<std::uint64_t, std::string_view>> share_what_all_heard(std::size_t upstream,
                                                                            change& c);
  void arm_notify();

  // router_upkeep.cpp: time, the end
  void on_tick();
  void end_expired();
  void forget_session(const sessions::client_session& s);
  void wind_streams_down();
  void sweep_sessions(time_point t);
  void sweep_profiles(time_point t);
  void keep_streams_alive(time_point t);
  void sweep_lists(time_point t);
  void leave_upstreams(sessions::client_session& s, const config::policy_view& before);
  void leave_upstream(sessions::client_session& s, const config::compiled_upstream& u);
  void refuse_all();

  // pipeline::desk
  time_point now() const override;
  const http::allowlist& hosts() const override { return hosts_; }
  identity::gatekeeper& keeper() override { return keeper_; }
  oauth::wall_time wall_now() const override { return parts_.wall(); }
  bool await_keys(pipeline::fact<pipeline::stage::host>& c, std::size_t source) override;
  bool meter(pipeline::fact<pipeline::stage::authenticate>& c,
             const rate_scopes_ptr& scopes) override;
  allowances_ptr price(pipeline::call& c) override {
    return prices_.of(c.snapshot, *c.upstream, c.access().get());
  }
  bool crowded(std::size_t index) override { return load_[index] >= limits::upstream_calls; }
  sessions::session_ptr find_session(std::string_view id, const identity::access_ptr& who) override;
  void count_ambiguous() override { ambiguous_.add(); }
  sessions::session_ptr open_session(const identity::access_ptr& owner,
                                     std::string_view peer) override;
  std::uint64_t park(pipeline::fact<pipeline::stage::guard> c) override;
  void ask(std::size_t index, invoke question) override;
  pipeline::list_outcome list(pipeline::call& c) override;
  pipeline::owner_outcome owner(pipeline::call& c) override;
  void park_for_owner(pipeline::fact<pipeline::stage::rate_limit> c,
                      mcp::list_kind awaited) override;
  void find_task(pipeline::fact<pipeline::stage::rate_limit> c) override;
  void pin_task(const pipeline::call& c, std::string_view raw_id) override;
  void gather_tasks(pipeline::fact<pipeline::stage::guard> c) override;
  std::optional<pipeline::federation_abilities> abilities(pipeline::call& c) override;
  void park_for_abilities(pipeline::fact<pipeline::stage::guard> c) override;
  void forget(pipeline::call& c) override;
  void set_level(sessions::client_session& s, std::string_view raw_level) override;
  void listen(const sessions::session_ptr& s, exchange_ptr stream) override;
  resumed resume(const sessions::session_ptr& s, std::string_view last_event_id,
                 exchange_ptr stream) override;
  void finish_stream(pipeline::call& c, std::string_view text) override;
  void pass_progress(sessions::client_session& s, const jsonrpc::message& m) override;
  void tell_upstreams(sessions::client_session& s, std::string_view notification) override;
  std::optional<answered_question> answer_question(sessions::client_session& s,
                                                   const jsonrpc::message& m,
                                                   std::shared_ptr<const void> keep) override;
  void cancel(sessions::client_session& s, std::string_view raw_id,
              std::string_view reason) override;
  void end_session(const sessions::session_ptr& s) override;
  void take_in_element(exchange_ptr element, bool metered) override {
    take_in(std::move(element), true, metered);
  }
  pipeline::exit_door& door() override { return door_; }

  router_parts parts_;
  snapshot_ptr snapshot_;
  http::allowlist hosts_;
  pipeline::audit_door door_;
  identity::gatekeeper keeper_;
  struct key_state {
    bool asked = false;     ///< and has not answered
    time_point again_at{};  ///< until then asking is in vain
  };
  std::vector<key_state> key_states_;  ///< by source of keys
  body_waits bodies_;
  // By number of the upstream.
  std::vector<upstream_actor> upstreams_;
  std::vector<std::uint32_t> load_;  ///< calls that it works for
  /// Upstreams that the configuration no longer has, and the snapshot that was the first without.
  struct departure {
    std::size_t upstream = 0;
    std::uint64_t generation = 0;
  };
  std::vector<departure> departed_;
  sessions::session_table sessions_;
  metrics::value session_count_, ambiguous_;
  pipeline::parking calls_;

  /// Each list as upstreams show it to such clients. Those of one caller lean on everybody's.
  std::map<list_key, list_states> lists_;
  /// The lists of clients that see some of their own.
  std::map<std::uint64_t, list_states> own_lists_;
  federation::list_places places_;  ///< of these
  /// Changes that clients have yet to be told, by upstream.
  struct change {
    time_point first, last;
    std::set<std::pair<mcp::capability_profile, std::string_view>> notices;
    std::set<std::pair<std::uint64_t, std::string_view>> own_notices;  ///< to these clients only
    std::set<std::pair<std::uint64_t, std::string_view>>
        personal_notices;  ///< to these principals'
    /// After a reload: to those of the profile who see by this view now.
    std::set<std::tuple<mcp::capability_profile, std::uint64_t, std::string_view>> view_notices;
    /// Who said so (a client's session, a caller's root session, 0: everybody's), and how many
    /// fetches there were by then.
    std::map<std::pair<std::uint64_t, mcp::list_kind>, std::uint64_t> heard;
    std::set<std::string_view> heard_by_root;
    /// Clients that see lists of their own because of it, and what they heard.
    std::set<std::pair<std::uint64_t, std::string_view>> promoted;
    /// The same, when it is known to be everybody's change, and a call waited for the list.
    std::set<std::pair<std::uint64_t, std::string_view>> to_share;
  };
  std::map<std::size_t, change> changes_;
  guards::price_list prices_;
  /// Clients that are subscribed to something at an upstream which does not know it any more.
  sessions::renewals unsubscribed_;
  std::uint64_t fetches_ = 0;  ///< of lists, so far
  std::uint64_t causes_ = 0;   ///< calls that caused some, so far
  federation::profile_table profiles_;
  federation::commons_ptr commons_ = std::make_shared<federation::commons>();
  /// What upstreams said of themselves when they were last met.
  struct acquaintance {
    bool met = false;
    bool asked = false;  ///< and the answer is on its way
    bool late = false;   ///< it missed a deadline: nobody waits for it before it has spoken
    mcp::server_features features;
    std::string instructions;
    time_point quiet_until{};
  };
  std::vector<acquaintance> met_;
  abilities_memo told_;
  /// So long `initialize` waits for upstreams to introduce themselves.
  time_point meeting_until_{};
  /// Clients whose stream broke, and until when they are waited for; earliest first.
  struct absence {
    std::uint64_t client = 0;
    time_point until;
  };
  std::deque<absence> away_;
  time_point next_sweep_{};
  time_point tell_at_ = time_point::max();
  bool list_tick_armed_ = false;
  bool sweeping_ = false;      ///< more sessions are about to end
  bool winding_down_ = false;  ///< streams end as soon as nothing of their session runs
  bool keep_lists_ = false;    ///< somebody walks through them
};

/// Whoever calls wait for has died, with whatever it was asked.
template <pipeline::partner Whom>
void router::lose() {
  for (const auto number : calls_.waiting_for(Whom)) do_without<Whom>(number);
}

template <pipeline::partner Whom>
void router::do_without(std::uint64_t number) {
  using pipeline::loss;
  constexpr auto rule = pipeline::row(Whom).without;
  static_assert(rule == loss::admitted || rule == loss::refused, "it matters which of them died");
  if constexpr (rule == loss::admitted)
    on_admitted({number, true});
  else
    refuse_without(number, Whom);
}

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::opening_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::router_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sweep_on)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::list_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::tell_list_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::newcomers_due)
