#pragma once
/// One MCP request on its way through the pipeline. It belongs to the ROUTER of its unit and never
/// leaves it: questions and answers travel to other actors, the call waits in the ROUTER's table.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/messages.hpp"
#include "actors/pipeline/exit.hpp"
#include "actors/pipeline/inquiry.hpp"
#include "actors/pipeline/listing.hpp"
#include "actors/sessions/client_session.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/stateless/listen.hpp"
#include "protocol/recycled.hpp"
#include "protocol/sse/streaming.hpp"
#include "transport/interfaces.hpp"

namespace gate::pipeline {

/// Where stage 4 sends a call.
enum class route : std::uint8_t {
  undecided,
  stream,    ///< GET: the stream of the client's session
  farewell,  ///< DELETE: its session ends
  batch,     ///< its elements take their own ways
  notice,    ///< the client tells something
  reply,     ///< the client answers a request of an upstream
  local,     ///< the gateway answers by itself
  list,      ///< the federation's merged list
  upstream,  ///< one upstream
  owner,     ///< one upstream, once it is known which
  task,      ///< the upstream that runs the task, once it is known which
  tasks,     ///< the caller's tasks at all upstreams
  listen,    ///< a stream of notifications, once it is known whose resources they are about
};

/// What upstreams answered to a question that all of them were asked.
struct fan_out {
  struct row {
    enum class state : std::uint8_t { waiting, yes, no, down } what = state::waiting;
    std::uint32_t advance = 0;  ///< counted as sent before that was known
    /// A task that it knows, and we do not, may be another's who mints one there.
    bool hidden = false;
    answered answer;          ///< of `tasks/get`, with `yes`
    mcp::shared_items items;  ///< of `tasks/list`, with `yes`
    mcp::shared_rest rest;    ///< of `tasks/list`: what stands beside them
    std::string error;        ///< of `tasks/list`: the upstream's own error object, raw
    std::shared_ptr<const refusal> refused;  ///< of `tasks/list`: a guard's
    traces::client_span_ptr span;            ///< of `tasks/get`, while that is open

    /// Does it know the task, as far as its caller may be told?
    bool knows() const { return what == state::yes && !hidden; }
  };
  std::vector<row> rows;
  std::chrono::steady_clock::time_point until;  ///< so long they have
  bool judged = false;  ///< of what they know so far, TASKS was asked whether it may be told
};

/// `subscriptions/listen`, of which stages 4 to 7 find out what there is to hear.
struct listening {
  mcp::stateless::listen_filter wanted;
  std::size_t looked_up = 0;  ///< so many of its URIs
  /// Those that have an owner, and its number.
  std::vector<std::pair<std::string, std::size_t>> owned;
};

struct call {
  call(exchange_ptr from, exit_door& door, snapshot_ptr snapshot,
       std::chrono::steady_clock::time_point now)
      : arrived(std::move(from)),
        from(arrived),
        snapshot(std::move(snapshot)),
        ticket(door, now, arrived->number()) {}
  ~call();  ///< in stage9_audit.cpp: who is dropped leaves by the same door
  static void* operator new(std::size_t) { return recycled<call>::take(); }
  static void operator delete(void* p) { recycled<call>::give(p); }

  const http_request& request() const { return arrived->request(); }
  /// If it waits for lists, it is because of what they say about a resource's owner.
  bool looks_for_owner() const {
    return route == pipeline::route::owner || route == pipeline::route::listen;
  }

  /// Who calls, and what that caller may see; not null behind stage 2.
  const identity::access_ptr& access() { return ticket.notes().access; }
  const config::policy_view& view() { return *access()->view; }
  /// The number by which its upstream knows it.
  std::uint64_t upstream_number() const { return continues ? continues : number; }
  /// Ends its stream, if it has one: what is said from now on is kept for the client's return.
  void detach() { stream.detach(*from); }
  /// For upstreams whose credential comes from the caller.
  identity::caller_ptr caller_for(const config::compiled_upstream& u) {
    return u.per_caller ? access()->caller : nullptr;
  }

  exchange_ptr arrived;   ///< with the request, whose bytes are looked at until the end
  exchange_ptr from;      ///< where the answer goes: another one, once the client has resumed
  snapshot_ptr snapshot;  ///< loaded once; a reload does not touch calls in flight
  exit_ticket ticket;

  // Found by stage 4.
  mcp::era era = mcp::era::session;  ///< the generation of MCP that its client speaks
  std::string_view log_level;  ///< of the stateless generation, static; empty: it wants no log
  std::shared_ptr<const std::string> declares;  ///< raw capabilities, of the same
  bool takes_tasks = false;                     ///< of the same: a call of its may become a task
  bool mints = false;        ///< it asks its upstream for a task, or lets it make one
  jsonrpc::message message;  ///< views into the request's body
  std::string_view token;    ///< raw, of its progress; a view like those; empty: it wants none
  const mcp::method* method = nullptr;
  std::shared_ptr<sessions::client_session> session;
  pipeline::route route = pipeline::route::undecided;
  const config::compiled_upstream* upstream = nullptr;
  std::string uri;           ///< of a resource whose owner has to be found, or the id of a task
  std::uint8_t awaited = 0;  ///< the lists it has waited for, a bit each: once is enough
  bool awaited_own = false;  ///< these were its client's own lists
  std::uint64_t cause = 0;   ///< names it in the fetches of lists that it causes; 0: of none yet
  bool waited = false;       ///< for upstreams that nobody had met: once is enough
  bool asked_keys = false;   ///< its issuer's keys were asked for: once is enough
  bool sought = false;       ///< its session was, in the store: once is enough
  bool handed = false;       ///< another instance was asked to go on with it: once is enough
  bool metered = false;      ///< RATE LIMITER has been asked, or need not be
  invoke question;           ///< for the upstream
  /// The call whose question its upstream works at, and which has ended towards its client; 0: its
  /// own.
  std::uint64_t continues = 0;
  std::uint64_t via = 0;                ///< the client session over whose bridged session it goes
  bool anywhere = false;                ///< over a root session, if there is no such bridged one
  std::optional<tasks::finding> found;  ///< of a task
  std::unique_ptr<pipeline::fan_out> fan_out;
  std::unique_ptr<pipeline::listening> listening;
  std::optional<answered> ready;           ///< the upstream has answered already
  std::vector<std::string_view> elements;  ///< of a batch; views into the body
  bool of_a_batch = false;
  bool wrapped = false;       ///< its client was shown the tool with a wrapped schema
  bool secret_error = false;  ///< the upstream's error quotes its credential
  bool is_request = false;    ///< has an id: is owed a JSON-RPC answer
  trace_ptr trace;  ///< its context for upstreams; null: there is none, or its span says it

  std::unique_ptr<pipeline::inquiry> inquiry;  ///< null: it is no viewer's

  // While it waits.
  std::chrono::steady_clock::time_point body_asked{};  ///< when its client was asked for its body
  std::uint64_t number = 0;                            ///< in the ROUTER's table
  sse::answer_stream stream;                           ///< that its answer may become
  bool revoked = false;  ///< its token's key was withdrawn: its client gets no stream by it
  std::optional<std::chrono::steady_clock::time_point> lost;  ///< when the client was seen gone

  // The answer: a raw result or error object, and who owns its bytes.
  std::unique_ptr<listing> list;    ///< of which stage 8 cuts a page
  bool partial = false;             ///< the list was one
  mcp::list_caching caching;        ///< of the list
  mcp::era by = mcp::era::session;  ///< in which its upstream has answered
  std::string lead;  ///< what stands before the result: the beginning of its object, or nothing
  std::string_view result;
  jsonrpc::result_members has;  ///< of the result as its upstream gave it
  std::string_view error;
  std::shared_ptr<const void> keep;
  std::string tail;     ///< what follows the cached part of a list page, without the closing brace
  std::string headers;  ///< further lines of the response head
};
using call_ptr = std::unique_ptr<call>;

}  // namespace gate::pipeline
