#pragma once
/// UPSTREAM SESSION: one MCP session with one upstream, as a client of it. The root session serves
/// lists and probes and listens for list_changed; a bridged session carries the named calls of one
/// client, and with `listsPerClient` does all of that for it but probes. Spawned and supervised by
/// UPSTREAM, answers to ROUTER.
///
///   state     work arrives     handshake ends      it can not connect       the session is lost
///   closed    open; wait       -                   -                        -
///   opening   wait (bounded)   ready, or all fail  next replica, or all     -
///                                                  fail (or the replica
///                                                  itself fails)
///   ready     send             -                   lost, if there are       closed; open again and
///                                                  replicas; else the       retry once what was
///                                                  request fails            surely not processed
///
/// A session is lost when the server has forgotten it, or is one of several and can not be reached.
/// It stays with one endpoint for life. A request with a price waits for BUDGET once it could be
/// sent:
///
///   waits for     yes                      no              deadline, cancelled   BUDGET crashed
///   BUDGET        send (or, if the         refused as      ended; the unit may   as yes
///                 session is lost: open)   exhausted       have been spent
///
/// An event stream that ends before the answer came is gone on with, if its events had ids: the
/// call waits, then a GET brings the rest. To whoever waits for the call nothing has happened.
///
/// Once told to close it refuses new work, finishes or cancels what runs, ends the session and
/// quits. Its deadlines are kept by UPSTREAM, so that a session which has ended leaves no timer
/// behind.
#include <algorithm>
#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "actors/interfaces.hpp"
#include "actors/upstream/bookmark.hpp"
#include "actors/upstream/credentials.hpp"
#include "actors/upstream/greeting.hpp"
#include "actors/upstream/handshake.hpp"
#include "actors/upstream/own_news.hpp"
#include "actors/upstream/progress_tokens.hpp"
#include "actors/upstream/room_search.hpp"
#include "actors/upstream/usage_order.hpp"
#include "actors/upstream/waiting_line.hpp"
#include "actors/upstream/work.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::upstream {

/// Whom an upstream asks before it is asked.
struct guard_set {
  rate_limiter_actor limiter;
  budget_actor budget;
  breaker_actor breaker;
  balancer_actor balancer;  ///< null: there is one endpoint, and nobody probes it
};

class session;

/// What all sessions of one upstream share; immutable but for what only the unit's thread touches.
struct context {
  config::compiled_upstream config;
  std::vector<std::shared_ptr<const destination>> to;  ///< one per endpoint
  answers_actor router;
  egress_actor egress;
  outside_world outside;
  metrics::value ok, connect_error, error, rate_limited, circuit_open;
  metrics::value bridged, credential_ok, credential_error;
  metrics::histogram duration;
  /// So that the log tells of an outage once, and once of its end.
  mutable bool failing = false;
  mutable bool nameless = false;  ///< it lists items without a name, and the log knows
  /// Null: crashed, or there is none. UPSTREAM replaces them.
  mutable guard_set guards;
  /// The latest word of BREAKER.
  mutable breaker_told circuit;
  mutable usage_order<session> bridged_by_use;
  /// When a root session last heard of a changed list.
  mutable news_times root_news;
};
using context_ptr = std::shared_ptr<const context>;

/// What a session is for: the calls of one client; or (`client` 0) as a root session the lists of
/// clients of the profile `as`, on behalf of one caller if the upstream tells them apart; or to
/// find out whether one endpoint works: a handshake, a goodbye, nothing else.
struct role {
  std::uint64_t client = 0;
  mcp::capability_profile as = 0;
  std::uint64_t principal = 0;
  std::optional<probe_endpoint> check{};
};

/// To itself: the stream may be opened again.
struct reopen_stream {};

using session_base = upstream_session_actor::extend<caf::reacts_to<reopen_stream>>;

/// How long the upstream may be silent in a request.
inline std::chrono::milliseconds longest(const invoke& m, std::chrono::milliseconds request) {
  // It waits for its task's end.
  return m.method == "tasks/result"
             ? std::max<std::chrono::milliseconds>(request, limits::task_result)
             : request;
}
inline std::chrono::milliseconds longest(const fetch_list&, std::chrono::milliseconds request) {
  return request;
}
inline std::chrono::milliseconds longest(const work& w, std::chrono::milliseconds request) {
  return w.kind == task::call ? longest(w.call, request) : request;
}

/// The server works, but has too much to do at the moment.
inline bool is_busy(const fetched& f) {
  return f.end == fetch_end::complete && f.status == 503 && f.retry_after;
}

/// The request was too large for the server, in its body, target or header: that says nothing about
/// the server, and its client must not close the way for others.
constexpr bool is_too_much(int status) {
  return status == 413 || status == 414 || status == 431;
}

/// The answer to this, with nothing in it yet.
inline listed answer_to(const fetch_list& m, std::size_t upstream) {
  listed out;
  out.fill = m.fill;
  out.upstream = upstream;
  out.kind = m.kind;
  out.as = m.as;
  out.client = m.client;
  out.principal = m.principal;
  out.cause = m.cause;
  return out;
}

class session final : public pinned<session_base::base> {
 public:
  session(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared, role who,
          upstream_actor parent, credentials_actor credentials);

  /// Who is behind the name of a session in `asked`, `withdrawn` and `client_reply`.
  static caf::actor_id actor_of(std::uint64_t name) { return name >> epoch_bits; }

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override {
    return client_ ? "bridged session" : check_ ? "endpoint check" : "root session";
  }

 private:
  using time_point = std::chrono::steady_clock::time_point;
  enum class state : std::uint8_t { closed, opening, ready };

  /// What a fetch is for.
  enum class purpose : std::uint8_t {
    initialize,
    initialized,
    work,
    replay,   ///< what a new session must be told: log level, subscriptions
    notice,   ///< a notification or response of ours
    stream,   ///< the GET stream
    goodbye,  ///< DELETE, before the end
    discard,  ///< DELETE of a session whose handshake came to nothing
  };
  static constexpr auto never = time_point::max();
  /// A fetch under way, by its id, which is also the JSON-RPC id of what it carries. The GETs that
  /// go on with its stream run under the same id: one of all these at a time.
  struct pending {
    purpose kind = purpose::notice;
    upstream::job job;         ///< of purpose work, until it is answered; else null
    time_point until = never;  ///< without a job: when it is given up
    std::uint32_t epoch = 0;
    bool answered = false;         ///< on a stream that is still open
    bookmark place;                ///< in its stream
    time_point resume_at = never;  ///< between two fetches: when the next one starts
    time_point silent_at =
        never;  ///< of an open event stream: given up if nothing comes until then
    /// Requests of the upstream on this call's stream that wait for the client, by raw id.
    std::vector<std::string> questions;

    time_point& deadline() { return job ? job->time.deadline : until; }
    /// The call that it carries and that is not answered; or null.
    const invoke* call() const { return job && job->kind == task::call ? &job->call : nullptr; }
  };

  /// Names this session with the upstream: another one is another conversation.
  std::uint64_t name_of_session() const { return (id() << epoch_bits) | epoch_; }
  static constexpr unsigned epoch_bits = 24;
  bool root() const { return client_ == 0; }
  time_point now() { return clock().now(); }

  // session_lifecycle.cpp: opening, being lost, closing
  void open();
  void begin_handshake();
  bool begin_again();
  void on_initialize(const fetched& f, std::shared_ptr<const std::string> text);
  void on_initialized(const fetched& f);
  void open_failed(std::string_view why, std::string detail, bool connect,
                   verdict how = verdict::failure, std::string_view health = {});
  void ready();
  void lose();
  void suspect_lists();
  void say_goodbye();
  std::uint64_t end_session(purpose why);
  void discard_session();
  void quit_when_done();

  // session_room.cpp: an upstream that has no room for one more session
  bool make_room();
  void no_room();
  void ask_for_room_again();
  bool bound();
  spare can_go();
  void stay();
  void tell_idle(const session& s);

  // session_endpoints.cpp: which replica, and the check of one
  void connect();
  void on_picked(const endpoint_picked& m);
  void pick_alone();
  static bool endpoint_fails(const fetched& f);
  bool try_elsewhere(bool full);
  void handshake_late();
  bool endpoint_lost(const pending& p, fetch_end how);
  void check_over(std::string_view why);

  // session_guards.cpp: what BUDGET and BREAKER have to do with work
  void charge(job w);
  void on_charged(const charged& m);
  void charge_nobody();
  void judge(work& w, verdict how);
  void works(work& w);
  verdict blame(work& w);
  void reached();
  void fail_waiting(std::string_view why, bool connect, verdict how);

  // session_silence.cpp: streams that say nothing any more
  void on_word(std::uint64_t id);
  void await_word(pending& p);
  void on_silence(std::uint64_t id);

  // session_streams.cpp: the session's own stream, and going on with one that ended early
  void get(std::uint64_t id, std::string_view last_event_id);
  void open_stream();
  void begin_stream();
  void open_stream_again();
  void on_reopen();
  void reopen_at(time_point at);
  void on_stream_end(const fetched& f);
  void close_stream();
  bool resume_later(pending& p, const fetched& f);
  void resume(std::uint64_t id);
  void resume_none();
  /// Is what it was sent in still the session?
  bool in_session(const pending& p) const {
    return p.epoch == epoch_ &&
           state_ == (p.kind == purpose::initialize ? state::opening : state::ready);
  }

  // session_credentials.cpp: who asks
  void meet(const identity::caller_ptr& c);
  void provide_credential();
  void take_credential(credential_told m);
  void without_credential();
  bool renew_credential(int status, std::uint32_t shown);
  static constexpr std::string_view credential_refused_words = "credential refused";
  static constexpr std::string_view timed_out_words = "timed out";
  bool refuses_credential(int status) const {
    return (status == 401 || status == 403) &&
           shared_->config.auth.strategy != config::auth_strategy::none;
  }
  bool quotes_credential(std::string_view text) const;
  bool has_credential(time_point t) const { return t < credential_until_; }

  // session.cpp: work
  void begin();
  void take(job w);
  void wait_or_send(job w);
  void send_work(job w);
  void on_fetched(fetched& f);
  void on_streamed(streamed& s);
  void on_message(pending& p, std::uint64_t id, std::shared_ptr<const std::string> text);
  void broke_off(pending& p, const fetched& f);
  void linger(pending& p);
  // session_endings.cpp: how a piece of work ends
  void finish(job w, const jsonrpc::message& m, std::shared_ptr<const std::string> text,
              bool busy = false);
  void fail(work& w, std::string_view why, bool connect, verdict how);
  void answer_nothing(work& w, std::string_view why, std::shared_ptr<const refusal> refused);
  void finish_list(job w, std::string_view raw_result);
  listed answer_to_list(const work& w) const;
  bool retry(job& w);
  // session_events.cpp: what the upstream says by itself
  void on_question(pending* call, const jsonrpc::message& m, const std::string& text);
  void suspect_all(std::string_view notification);
  void on_server_message(pending* p, const jsonrpc::message& m, const std::string& text);

  // session_progress.cpp: whose progress is told, and that a call goes on
  void send_call(work& w, std::uint64_t id);
  void on_progress(pending* p, const jsonrpc::message& m, const std::string& text);
  void goes_on(pending& p);
  void note_task(work& w, std::string_view raw_task);

  // session_deadlines.cpp: what ends early
  void cancel(const cancel_call& m);
  void cancel_all();
  void tell_cancelled(std::uint64_t id, std::string_view raw_reason);
  void on_tick(time_point at);
  void overdue(std::uint64_t id);
  time_point overdue_waiting(time_point t);
  void arm(time_point at);
  void note_failure(std::string_view what, std::string_view detail);
  void note_success();

  trace_ptr awaited_trace() const;
  static std::string request_head(std::uint64_t id, std::string_view method);
  std::uint64_t post(std::string before, std::string_view first = {}, std::string_view second = {},
                     std::string_view after = {}, std::shared_ptr<const void> keep = {},
                     bool repeatable = false, const trace_ptr& trace = {});
  void notice(std::string text);
  void introduce_server(bool reached, bool missed = false);
  void greet();
  void check_greeting();
  /// Does it hear of changed lists for those who see them by it?
  bool hears_lists() const { return root() || shared_->config.per_client; }
  /// Does it end when it has not been used for long?
  bool ends_idle() const {
    return !check_ && (client_ || principal_ || shared_->config.per_client);
  }
  /// Can work be sent at once?
  bool takes_work() const { return state_ == state::ready && !greeting_; }
  bool wants_stream() const { return !check_ && (root() || (profile_ && profile_->listening)); }
  /// Does a client expect to hear something, call or not?
  bool listens() const { return !root() && (wants_stream() || !subscriptions_.empty()); }
  bool learn(const profile_ptr& p);
  void on_profile(const profile_ptr& p);
  void subscribe(subscribe_again& m);
  void unsubscribe(const gate::unsubscribe& m);
  void subscribe(std::string_view raw_uri);
  void on_reply(client_reply& m);
  std::uint64_t question_over(std::string_view raw_id);
  static std::string uri_of(const work& w);
  void note_subscription(const work& w);
  void undo_subscriptions(const work& w);
  void renew_subscriptions();
  void send_level();
  void suspect(mcp::list_kind k, bool certain);
  void expect(std::uint64_t id, purpose k);
  void make_headers();

  context_ptr shared_;
  std::uint64_t client_;
  mcp::capability_profile as_;
  std::uint64_t principal_;
  std::optional<probe_endpoint> check_;
  std::string check_detail_;  ///< how it failed, for the log
  upstream_actor parent_;
  state state_ = state::closed;
  std::size_t endpoint_ = 0;         ///< that of this session, or the next one's
  std::vector<std::size_t> tried_;   ///< in vain, in the attempt to connect that is under way
  std::uint64_t pick_ = 0;           ///< number of the question to BALANCER; 0: none is open
  std::uint64_t next_question_ = 1;  ///< to BALANCER
  std::string session_id_;
  handshake agreed_;
  profile_ptr profile_;  ///< of the client; null before its first call
  /// URIs that the client is subscribed to, as JSON strings; a new session must be told of them.
  std::set<std::string, std::less<>> subscriptions_;
  std::shared_ptr<const std::string> headers_;
  std::uint64_t next_id_ = 1;
  std::uint32_t epoch_ = 0;
  std::unordered_map<std::uint64_t, pending> pending_;
  std::vector<job> backlog_;
  waiting_line<job> charging_;  ///< waits for BUDGET
  std::size_t working_ = 0;     ///< entries of kind work in `pending_`
  time_point last_used_;
  time_point tick_at_ = never;
  std::shared_ptr<progress_tokens> tokens_;  ///< null: no call had one
  std::uint64_t stream_id_ = 0;
  bookmark stream_place_;
  bool stream_worked_ = false;        ///< once in this session
  std::optional<greeting> greeting_;  ///< set: calls wait in the backlog
  bool called_ = false;               ///< a call was sent in this session
  bool minted_ = false;               ///< a task that the server may have bound to this session
  time_point stream_opened_;
  std::chrono::milliseconds stream_pause_{0};
  time_point stream_due_{};  ///< not opened again before
  bool reopen_armed_ = false;
  credentials_actor credentials_;        ///< null: the strategy needs none
  identity::caller_ptr caller_;          ///< where it needs one
  std::string credential_;               ///< header line; empty: none
  std::uint32_t credentials_shown_ = 0;  ///< how many there were so far
  time_point credential_until_ = never;
  bool credential_asked_ = false;
  bool credential_renewed_ = false;  ///< for the handshake, since the last one that worked
  bool handshake_blamed_ = false;    ///< BREAKER has heard of the handshake that is under way
  std::size_t discarding_ = 0;       ///< entries of kind discard in `pending_`
  bool closing_ = false;
  bool leaving_ = false;  ///< the goodbye is on its way
  /// Of a bridged session: its place among them.
  std::optional<usage_order<session>::place> in_use_;
  own_news news_;
  time_point asked_until_{};  ///< so long its client may answer what it asked of no call
  fate_ptr given_up_;        ///< set: for the sake of another; it will be told to close, or be used
  std::uint64_t taken_ = 0;  ///< requests from UPSTREAM so far
  room_search room_;         ///< for the session that is being opened
  time_point again_at_ = never;  ///< the next one
};

}  // namespace gate::upstream

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::reopen_stream)
