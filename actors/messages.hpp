#pragma once
/// What the actors say to each other. Payloads are shared buffers and views into them: a message is
/// cheap to copy and never owns a second copy of somebody's bytes. The cast is in interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages/audit.hpp"
#include "actors/messages/configuration.hpp"
#include "actors/messages/guards.hpp"
#include "actors/messages/health.hpp"
#include "actors/messages/identity.hpp"
#include "actors/messages/lists.hpp"
#include "actors/messages/tasks.hpp"
#include "actors/messages/traces.hpp"
#include "actors/who/caller.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/fleet/session_record.hpp"
#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/mcp/capability_profile.hpp"
#include "protocol/mcp/list.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/server_features.hpp"
#include "protocol/refusals.hpp"
#include "protocol/trace/ids.hpp"

namespace gate {

namespace upstream {
class lease;
class prepaid;
}  // namespace upstream
namespace traces {
class client_span;
}  // namespace traces

/// What upstreams have open for one client of a fleet, by their ids.
using session_bridges = std::map<std::string, fleet::bridge, std::less<>>;

/// What an upstream session must know of the client that it stands for. Immutable: a change is a
/// new one.
struct client_profile {
  std::string capabilities = "{}";  ///< raw, as declared in initialize
  std::string log_level;            ///< of logging/setLevel, raw JSON string; empty: never set
  bool listening = false;           ///< its GET stream is open, or was a moment ago
  bool away = false;                ///< of one that listens: it is closed now
  bool in_calls_only = false;       ///< it can be asked within its calls, and nowhere else
  std::uint64_t version = 0;        ///< a later one has a higher
  /// Here or at another instance. Null: the session is this instance's alone.
  std::shared_ptr<const session_bridges> bridges{};
};
using profile_ptr = std::shared_ptr<const client_profile>;
/// The trace context of a client's request as header lines (protocol/trace); null: it has none.
using trace_ptr = std::shared_ptr<const std::string>;

// --- ROUTER -> UPSTREAM --------------------------------------------------------------------------

/// Pass a request of this client on, over the client's bridged session. The params are `first` +
/// `second`, so that a name in the middle can lose its prefix without a copy.
struct invoke {
  std::uint64_t call = 0;    ///< ROUTER's number of the call; comes back with the answer
  std::uint64_t client = 0;  ///< the client session; one bridged session each
  std::string_view method;   ///< of static storage
  std::string_view first, second;
  /// The raw progress token, a part of `first` or of `second`; empty: there is none.
  std::string_view token{};
  std::shared_ptr<const void> keep;
  // Parts of `first` or of `second`, raw; empty: they are not there.
  std::string_view meta{};       ///< `_meta`
  std::string_view arguments{};  ///< `arguments`
  /// What headers of the stateless generation call it by: the name or URI, without its quotes.
  std::string_view named{};
  profile_ptr profile;
  /// Only if the client has a bridged session; else over the root session of the profile `as`.
  bool anywhere = false;
  mcp::capability_profile as = 0;
  /// Where the upstream's credential comes from the caller; else null.
  identity::caller_ptr caller;
  allowances_ptr costs;         ///< null: no budget is configured for it
  std::int64_t per_minute = 0;  ///< the upstream's rate limit as the call knows it; 0: none
  /// UPSTREAM's: it goes as the probe of a half-open circuit.
  std::shared_ptr<upstream::lease> lease{};
  /// UPSTREAM's: what BUDGET has said to it already; null: it is asked when the call is sent.
  std::shared_ptr<upstream::prepaid> prepaid{};
  trace_ptr trace{};
  /// Of a stateless client: its capabilities (raw object; null: `profile` says them) and log level.
  std::shared_ptr<const std::string> declares{};
  std::string_view log_level{};
  bool only_envelope = false;  ///< of the same: nothing else is in its `_meta`
  /// Of a stateless client: it comes back with answers to questions that are not known here. A
  /// server that has sessions has asked none.
  bool resumes = false;
  /// Of the same: its params hold `inputResponses` or `requestState`, whatever these are worth. A
  /// server that has sessions does not know them.
  bool has_input = false;
  bool has_task = false;    ///< of the same: `task`, which only a server with sessions would heed
  bool needs_task = false;  ///< of one that takes tasks: the tool can be called as a task only
  /// Nobody's: it only asks whether the upstream knows a task, and leaves no trace there.
  bool probes = false;
  std::uint64_t request = 0;  ///< INGRESS's number of the client's request; 0: it is of none here
};
/// The client cancelled the call: what was asked for it, lists of tasks included.
struct cancel_call {
  std::uint64_t call = 0;
  std::uint64_t client = 0;
  std::string reason;  ///< raw JSON string, or empty
  bool anywhere = false;
};
/// The client's profile changed; tell the upstream, if it has a session for this client.
struct profile_changed {
  std::uint64_t client = 0;
  profile_ptr profile;
};
/// A notification of the client, for all upstreams that know it.
struct client_notice {
  std::uint64_t client = 0;
  std::string_view method;  ///< of static storage
};
/// The client's answer to a request of the upstream, or the gateway's in its place.
struct client_reply {
  std::uint64_t session = 0;  ///< that asked; another one may use the same ids
  std::string id;             ///< raw; the upstream's own
  bool failed = false;        ///< `payload` is an error object
  std::string_view payload;
  std::shared_ptr<const void> keep;
};
/// The client tells how what it was asked comes along.
struct client_progress {
  std::uint64_t session = 0;  ///< that asked
  std::string text;           ///< the notification, with the upstream's own token
};
/// The client may not be subscribed to these any more: its bridged session tells the upstream.
struct unsubscribe {
  std::uint64_t client = 0;
  std::vector<std::string> uris;  ///< raw JSON strings
};
/// The client's session ended, or has nothing to do there any more: close its bridged session.
struct client_ended {
  std::uint64_t client = 0;
  bool finish_first = false;  ///< what is running; else nobody waits for it
  bool quietly = false;       ///< another instance goes on with it: the upstream is not told
};
/// Fetch the whole list of this kind over the root session.
struct fetch_list {
  std::uint64_t fill = 0;  ///< comes back with the list; of tasks it is the call that wants them
  mcp::list_kind kind = mcp::list_kind::tools;
  mcp::capability_profile as = 0;  ///< the kind of client that the list is for
  std::uint64_t client = 0;        ///< for this one alone: over its bridged session, if it has one
  profile_ptr profile;             ///< of that client: its session is opened for it; else null
  std::uint64_t principal = 0;     ///< whose list it is; 0: everybody's
  identity::caller_ptr caller;     ///< where its credential comes from them; else null
  allowances_ptr costs;            ///< of the first page; the others are free
  std::shared_ptr<upstream::lease> lease{};  ///< UPSTREAM's, as in `invoke`
  std::shared_ptr<upstream::prepaid> prepaid{};
  std::int64_t per_minute = 0;  ///< as in `invoke`
  std::uint64_t cause = 0;      ///< ROUTER's name of the call that wants it, or 0; comes back
  trace_ptr trace{};            ///< of that call
  /// Of that call's trace; comes back. Ends at the latest when nobody holds it any more; null: none
  /// is recorded.
  std::shared_ptr<traces::client_span> span{};
  /// UPSTREAM's: what another instance of the fleet has fetched, and how long ago it began to; else
  /// null. Or the number under which what it says is kept for the others; else 0.
  raw_list_ptr kept{};
  std::chrono::milliseconds age{0};
  std::uint64_t share = 0;
  std::chrono::milliseconds cached{0};  ///< so long it holds at ROUTER; 0: it is not cached
  std::uint64_t request = 0;  ///< as in `invoke`: of the one that was the first to want it
};
/// Lists of tasks are fetched for one call; all others may be what several wait for.
inline bool belongs_to(const fetch_list& m, std::uint64_t call) {
  return m.kind == mcp::list_kind::tasks && m.fill == call;
}
/// Say what the upstream can do, which takes a session with it: answered with `introduced`.
struct introduce {
  mcp::capability_profile as = 0;
  identity::caller_ptr caller;
  /// Over this client's bridged session, which is opened for it; null: over a root session.
  profile_ptr profile{};
  std::uint64_t client = 0;
  /// Its list is missed: a session that is open is to show, by a ping, that it answers.
  bool missed = false;
};
/// No client of this profile is left, or (`principal` not 0) none of this caller that may do
/// anything there: its root sessions are not needed.
struct release_root {
  mcp::capability_profile as = 0;
  std::uint64_t principal = 0;  ///< 0: all of the profile
};
/// This upstream takes the place of another, or has lost the client's bridged session: the client
/// was subscribed there; or the client's streams want to hear of more. Its bridged session is
/// opened at once, and subscribes.
struct subscribe_again {
  std::uint64_t client = 0;
  profile_ptr profile;
  std::vector<std::string> uris;  ///< raw JSON strings
  identity::caller_ptr caller;
  std::vector<std::string> awaited{};  ///< the same; each is answered with `subscribed`
};

// --- UPSTREAM and its sessions -> ROUTER ---------------------------------------------------------

enum class answer : std::uint8_t { result, error, down };

/// The one answer to an `invoke`.
struct answered {
  std::uint64_t call = 0;
  std::size_t upstream = 0;
  gate::answer what = gate::answer::down;
  /// Raw result or error object, verbatim; `keep` owns it.
  std::string_view payload;
  jsonrpc::result_members has;  ///< of a result
  std::shared_ptr<const void> keep;
  /// `_meta.usage` of the result, verbatim; empty if there is none.
  std::string_view usage;
  bool quotes_credential = false;  ///< the error does: it is for the client only
  /// The id of the task that the result mints, raw; empty if it mints none.
  std::string_view task;
  /// With `down`: why.
  no_answer why = no_answer::request_failed;
  /// With `down`: not even that, but a guard's refusal.
  std::shared_ptr<const refusal> refused;
  /// How often the upstream was really asked: 0 if it could not be, 2 if it had lost the session.
  std::uint32_t upstream_calls = 1;
  /// The generation in which the upstream has answered.
  mcp::era by = mcp::era::session;
  /// Clients of the session generation were shown the tool with a wrapped schema
  /// (protocol/mcp/stateless/wrapping.hpp), and its result is to fit that.
  bool wrapped = false;
  std::shared_ptr<const credential_wait> credential{};  ///< null: it had not to wait for one
};
/// A notification that came on the call's own stream, verbatim, to be sent on the client's. Empty:
/// the upstream answers by a stream that may last, so the client had better get one too.
struct call_notification {
  std::uint64_t call = 0;
  std::string text;
  /// Not 0: it is for this client, on the call's stream only if the call is its own.
  std::uint64_t client = 0;
  std::size_t upstream = 0;  ///< with `client`
};
/// A notification for a client that belongs to no call, verbatim.
struct client_notification {
  std::uint64_t client = 0;
  std::size_t upstream = 0;
  std::string text;
  std::string updated;     ///< raw URI, of notifications/resources/updated
  std::uint64_t call = 0;  ///< with `updated`: on whose stream it came; 0: on no call's
};
/// A request of the upstream for the client, on the stream of a call.
struct server_request {
  std::uint64_t call = 0;  ///< 0: of no call, for the client's own stream
  std::size_t upstream = 0;
  std::uint64_t client = 0;
  std::uint64_t session = 0;  ///< names the upstream session; never reused
  std::string id;             ///< raw; the upstream's own
  std::string text;           ///< the message, verbatim
  std::size_t id_offset = 0;  ///< where `id` stands in it
  std::string token;          ///< raw progress token, or empty
  std::size_t token_offset = 0;
};
/// The upstream no longer wants the answer to what it asked.
struct server_request_cancelled {
  std::uint64_t call = 0;  ///< 0: of no call
  std::uint64_t client = 0;
  std::uint64_t session = 0;
  std::string id;      ///< raw; the upstream's own
  std::string reason;  ///< raw JSON string, or empty
};
/// The answer to `fetch_list`.
struct listed {
  std::uint64_t fill = 0;
  std::size_t upstream = 0;
  mcp::list_kind kind = mcp::list_kind::tools;
  mcp::shared_items items;  ///< null: it failed
  mcp::shared_rest rest;    ///< what the result says beside them; null: nothing
  std::string error;        ///< raw JSON-RPC error object, if that is how it failed
  mcp::capability_profile as = 0;
  std::uint64_t client = 0;
  std::uint64_t principal = 0;
  /// A guard's refusal, if that is how it failed: the upstream was not asked.
  std::shared_ptr<const refusal> refused;
  /// How often the list was really asked for, as in `answered`; its further pages do not count.
  std::uint32_t upstream_calls = 0;
  std::uint64_t cause = 0;
  std::chrono::milliseconds age{0};  ///< so long ago another instance has begun to fetch it
  std::uint64_t share = 0;           ///< UPSTREAM's, as in `fetch_list`
  raw_list_ptr raw{};                ///< with `share`: what was said; null: nothing to be kept
  std::shared_ptr<traces::client_span> span{};
  std::shared_ptr<const credential_wait> credential{};  ///< as in `answered`
};
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
  out.age = m.age;
  out.share = m.share;
  out.span = m.span;
  return out;
}
/// What the upstream can do, after every handshake; or that there was none.
struct introduced {
  std::size_t upstream = 0;
  bool reached = false;
  mcp::server_features features;
  std::string instructions;  ///< raw JSON string, or empty: none, or for one caller only
  bool missed = false;       ///< it answers whoever misses its list
  std::uint64_t client = 0;  ///< by whose session; 0: a root session
  bool taken_up = false;     ///< as another instance has met it: its instructions are not known
};
/// An upstream has opened this session for a client whose session is the fleet's.
struct bridge_opened {
  std::size_t upstream = 0;
  std::uint64_t client = 0;
  fleet::bridge bridge;
};
/// The answer to each of `subscribe_again::awaited`, but for what is given up before: by
/// `unsubscribe`, or with the bridged session. If the server does not agree, it is as if nobody had
/// asked.
struct subscribed {
  std::size_t upstream = 0;
  std::uint64_t client = 0;
  std::string uri;  ///< raw JSON string
  bool agreed = false;
};
/// The upstream's list changed.
struct list_changed {
  std::size_t upstream = 0;
  mcp::list_kind kind = mcp::list_kind::tools;
  bool certain = true;          ///< false: it may have, unheard
  std::uint64_t client = 0;     ///< whose bridged session heard it; 0: a root session
  std::uint64_t principal = 0;  ///< whose root session heard it; 0: everybody's
};
/// A bridged session died with its calls; nobody else will answer them.
struct session_lost {
  std::size_t upstream = 0;
  std::uint64_t client = 0;
  mcp::capability_profile as = 0;  ///< of a root session (`client` 0)
  std::uint64_t principal = 0;     ///< of a root session: whose it was; 0: everybody's
};

// --- HEALTH --------------------------------------------------------------------------------------

/// The federation as this viewer may see it.
struct ask_federation {
  identity::access_ptr who;
  snapshot_ptr under;     ///< the one that `who` is of
  bool sees_all = false;  ///< an operator, from whom nothing is held back
  usage requests;         ///< RATE LIMITER's: what the viewer's requests are counted in
  usage calls;            ///< BUDGET's: of the server, the viewer's tenant, and upstreams
};

// --- TASKS ---------------------------------------------------------------------------------------

/// An upstream has minted a task for this principal.
struct pin_task {
  std::string id;
  std::uint64_t owner = 0;
  tasks::place where;
  trace::trace_id trace{};  ///< of the call, for the log; zeros: of none that is known
};
/// A call of this principal's may mint a task at this upstream; or does so no more.
struct note_minting {
  std::string upstream;
  std::uint64_t owner = 0;
  tasks::minting what = tasks::minting::begun;
};
/// Where are these tasks, for this principal? Answered in the same order.
struct find_tasks {
  std::vector<std::string> ids;
  std::uint64_t owner = 0;
  /// They were asked for a moment ago: only what this process has learnt since is new.
  bool again = false;
};
struct tasks_found {
  std::vector<tasks::finding> findings;
  /// Upstreams where a task that is not known may be another's: a call that is under way, or was
  /// lost, may have minted it.
  std::vector<std::string> minting{};
};

// --- upstream sessions, among themselves ---------------------------------------------------------

/// A session has been idle long enough; UPSTREAM forgets it, then says `close_session`: not if it
/// has handed the bridged session something since, which may bind it.
struct session_idle {
  std::uint64_t client = 0;
  mcp::capability_profile as = 0;  ///< of a root session (`client` 0) …
  std::uint64_t principal = 0;     ///< … that was opened for this caller
  caf::actor_id who = 0;           ///< a bridged session …
  std::uint64_t taken = 0;         ///< … that has taken so many requests from UPSTREAM
};
/// What is to be asked for by this credential (`principal` 0: everybody's) is another set of
/// resources (watch_table.hpp): its root session is told, which is opened for it.
struct watches_changed {
  std::uint64_t principal = 0;
  identity::caller_ptr caller;
  bool settled = false;  ///< not so: the server has said what it tells of, which is for everybody
};
/// The list of tools that calls wait for, in whichever session (tool_renewals.hpp), has come or
/// will not: they look again.
struct tools_settled {};
/// End the session with the upstream, and quit.
struct close_session {
  bool finish_first = false;  ///< what is running; else it is cancelled
  bool quietly = false;       ///< if it is the fleet's, it is left to the others
};
/// A session wants a tick at this time, instead of the one it asked for before.
struct wake_me {
  caf::actor_id who = 0;
  std::chrono::steady_clock::time_point at;
};
/// The time has come.
struct session_tick {
  std::chrono::steady_clock::time_point at;
};

// --- GATEWAY -------------------------------------------------------------------------------------

/// End all sessions with the upstream, then quit.
struct retire {
  bool finish_first = false;  ///< what is running; else nobody waits for it
  bool quietly = false;       ///< sessions that are the fleet's are left to the other instances
};
/// No call can mean this upstream any more, which the configuration no longer has.
struct left_upstream {
  std::size_t unit = 0;
  std::size_t upstream = 0;
};
/// The process is about to end: idle streams are closed, calls in flight go on.
struct wind_down {};
/// The drain time is over: refuse what is still running.
struct end_calls {};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::invoke)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::cancel_call)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::unsubscribe)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::fetch_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::introduce)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::introduced)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::bridge_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::release_root)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::subscribe_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::left_upstream)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::pin_task)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::note_minting)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::find_tasks)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::tasks_found)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::profile_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_progress)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::server_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::server_request_cancelled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_notice)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::client_notification)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::answered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::call_notification)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::listed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::subscribed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::list_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::session_lost)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ask_federation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::session_idle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::watches_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::tools_settled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::close_session)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::retire)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::wind_down)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::end_calls)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::wake_me)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::session_tick)
