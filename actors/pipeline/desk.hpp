#pragma once
/// What the steps of the pipeline may use, in small interfaces: a step uses two or three of them.
/// ROUTER's parts (router/) implement them; tests bring their own. A step that has to wait gives
/// what it was given, the fact of the stage before it: with that the call comes back.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/identity/gatekeeper.hpp"
#include "actors/pipeline/fact.hpp"
#include "actors/pipeline/listing.hpp"
#include "actors/sessions/client_session.hpp"
#include "actors/traces/tracer.hpp"
#include "protocol/base/sha256.hpp"
#include "protocol/http/allowlist.hpp"
#include "protocol/mcp/stateless/known_envelopes.hpp"

namespace gate::pipeline {

/// Stages 1 to 3: who may come in.
class entrance_desk {
 public:
  virtual const http::allowlist& hosts() const = 0;
  /// Which tokens are good.
  virtual identity::gatekeeper& keeper() = 0;
  virtual oauth::wall_time wall_now() const = 0;
  /// A caller was refused because of several tenants.
  virtual void count_ambiguous() = 0;
  /// Puts the call aside until this source of keys has spoken. False, and the call is untouched, if
  /// asking it is in vain at the moment.
  virtual bool await_keys(fact<stage::host>& c, std::size_t source) = 0;
  /// Has the call's body read, which follows, and puts the call aside until it is there.
  virtual void await_body(fact<stage::host> c) = 0;
  /// Puts the call aside until RATE LIMITER has spoken. False, and the call is untouched, if nobody
  /// can be asked at the moment.
  virtual bool meter(fact<stage::authenticate>& c, const rate_scopes_ptr& scopes) = 0;

 protected:
  ~entrance_desk() = default;
};

/// Stages 4 and 7: the sessions of clients.
class session_desk {
 public:
  /// The session with this id, if it is this caller's; counts as a sign of life.
  virtual sessions::session_ptr find(std::string_view id, const identity::access_ptr& who) = 0;
  /// The session that the request names is not known here: with `waits` the call is put aside until
  /// it is known whether another instance of the fleet knows it, and is moved from.
  enum class search : std::uint8_t { vain, waits, busy };
  virtual search seek(fact<stage::rate_limit>& c) = 0;
  /// The call has opened a session. True: the call is put aside until the fleet knows it, and is
  /// moved from. False: it does already, or there is none.
  virtual bool share(fact<stage::guard>& c) = 0;
  /// A new client session for somebody who is at `peer`; null if there are too many.
  virtual sessions::session_ptr open(const identity::access_ptr& owner, std::string_view peer) = 0;
  /// The session that stands for this caller's stateless requests of such capabilities at upstreams
  /// that have sessions. Null if there are too many.
  virtual sessions::session_ptr visit(const identity::access_ptr& who,
                                      const mcp::stateless::known_envelope& by,
                                      std::string_view peer) = 0;
  /// What listens hears of these resources (a URI, and the number of its upstream) by what stands
  /// for its caller; it is acknowledged when their servers have said whether they agree.
  virtual void subscribe(const sessions::session_ptr& listener,
                         const std::vector<std::pair<std::string, std::size_t>>& to) = 0;
  /// Ends a session and everything that hangs on it.
  virtual void end(const sessions::session_ptr& s) = 0;
  /// The same, since the client of this call wants it. True: the call is put aside until the fleet
  /// knows it, and is moved from.
  virtual bool end_by(fact<stage::guard>& c) = 0;
  /// What the client says is about nothing here. True: the call is put aside until other instances
  /// of the fleet have been told, and is moved from. False: there are none.
  virtual bool hand_over(fact<stage::guard>& c) = 0;
  /// The client's log level: all its upstream sessions are told.
  virtual void set_level(sessions::client_session& s, std::string_view raw_level) = 0;
  /// A notification of the client (of static storage) for all upstreams that know it.
  virtual void tell_upstreams(sessions::client_session& s, std::string_view notification) = 0;
  /// The client cancels its running call. False: no call of this id runs here.
  virtual bool cancel(sessions::client_session& s, std::string_view raw_id,
                      std::string_view reason) = 0;

 protected:
  ~session_desk() = default;
};

/// Stage 7: what the federation's servers can do.
class introduction_desk {
 public:
  /// Nothing if it is being found out: then the call is to wait.
  virtual std::optional<federation_abilities> abilities(call& c) = 0;
  virtual void wait(fact<stage::guard> c) = 0;

 protected:
  ~introduction_desk() = default;
};

/// Stages 7 and 9: event streams of clients.
class stream_desk {
 public:
  /// The client opens its stream.
  virtual void listen(const sessions::session_ptr& s, exchange_ptr stream) = 0;
  /// The client comes back for a stream, its own or a call's. Nothing is done if that can not go
  /// on.
  enum class resumed : std::uint8_t {
    yes,
    unknown,  ///< it is not known, or forgotten
    over,     ///< it has ended, and the client has all of it
  };
  virtual resumed resume(const sessions::session_ptr& s, std::string_view last_event_id,
                         exchange_ptr stream) = 0;
  /// It is not known here: with `waits` the call is put aside until it is known whether a call of
  /// another instance has that stream, and is moved from.
  virtual session_desk::search seek(fact<stage::guard>& c) = 0;
  /// The last message of a call's stream; none if it is empty.
  virtual void finish(call& c, std::string_view text) = 0;

 protected:
  ~stream_desk() = default;
};

/// Stage 7: requests of upstreams that clients answer.
class request_desk {
 public:
  /// The client answered a request of an upstream. What was asked, and by which upstream (null: it
  /// is gone); nothing if nobody asked here.
  struct answered_request {
    std::string_view method;  ///< of static storage
    const config::compiled_upstream* upstream = nullptr;
  };
  virtual std::optional<answered_request> answer(sessions::client_session& s,
                                                 const jsonrpc::message& m,
                                                 std::shared_ptr<const void> keep) = 0;
  /// The client tells how something that it was asked comes along. False: it was not asked that
  /// here.
  virtual bool pass_progress(sessions::client_session& s, const jsonrpc::message& m) = 0;

 protected:
  ~request_desk() = default;
};

/// Stage 7: calls that wait for what their clients were asked by a result.
class suspension_desk {
 public:
  enum class outcome : std::uint8_t {
    none,    ///< there is none that it could go on with
    ready,   ///< it has been answered meanwhile: `call::ready`
    parked,  ///< the call waits in its place
    left,    ///< it goes on at another unit, where the request is from now on
  };
  /// The client comes back: has the call go on with what was begun for it, and passes on what it
  /// has answered. With `parked` the call is moved from.
  virtual outcome go_on(fact<stage::guard>& c) = 0;

 protected:
  ~suspension_desk() = default;
};

/// Stages 4, 7 and 8: the merged lists.
class list_desk {
 public:
  /// The merged list that `c` asks for. With `waiting`, the call is to wait.
  virtual list_outcome list(call& c) = 0;
  virtual void wait(fact<stage::guard> c) = 0;
  /// Who owns the resource (or the template) `c.uri`? With `waiting`, the call is to wait.
  virtual owner_outcome owner(call& c) = 0;
  virtual void wait_for_owner(fact<stage::rate_limit> c, mcp::list_kind awaited) = 0;
  /// The tool that `c` calls, as its upstream lists it; `wanted`: it is worth waiting for, if no
  /// list is here. With `waiting`, the call is to wait.
  virtual tool_outcome tool(call& c, bool wanted) = 0;
  virtual void wait_for_tool(fact<stage::guard> c) = 0;
  /// What cursors are sealed with.
  virtual const mcp::cursor_key& cursor_key() const = 0;

 protected:
  ~list_desk() = default;
};

/// Stages 4 and 7: tasks.
class task_desk {
 public:
  /// Where does the task `c.uri` run? The call waits until that is known.
  virtual void find(fact<stage::rate_limit> c) = 0;
  /// The call waits until all upstreams have told the caller's tasks.
  virtual void gather(fact<stage::guard> c) = 0;
  /// Who mints a task owns it.
  virtual void pin(const call& c, std::string_view raw_id) = 0;
  /// The call asks about a task of a session that another instance of the fleet has with the
  /// server. True: the call waits for what that one says, and is moved from.
  virtual bool hand_over(fact<stage::guard>& c) = 0;

 protected:
  ~task_desk() = default;
};

/// Stages 6 and 7: the upstream that works for a call.
class upstream_desk {
 public:
  /// What an invocation of the call's upstream is charged to; null: nothing.
  virtual allowances_ptr price(call& c) = 0;
  /// Are as many calls of this upstream in flight as there may be?
  virtual bool crowded(std::size_t index) = 0;
  /// Puts the call aside until its answer comes; returns its number.
  virtual std::uint64_t park(fact<stage::guard> c) = 0;
  /// Asks upstream `index`; its answer comes as a message. (If the upstream is not there at the
  /// moment, the desk answers in its place.)
  virtual void ask(std::size_t index, invoke question) = 0;
  /// The upstream's result came: what the client is subscribed to now, or which resources it was
  /// named.
  virtual void note_result(call& c) = 0;

 protected:
  ~upstream_desk() = default;
};

/// Stage 9: the way out; and stage 7, for the way in of a batch's elements.
class exit_desk {
 public:
  /// Writes the audit trail, counts.
  virtual exit_door& door() = 0;
  /// The call has left: forget it, and answer in its client's place what was asked within it.
  virtual void forget(call& c) = 0;
  /// Takes one request of a batch through all stages. `metered`: the rate limits have counted it.
  virtual void take_in_element(exchange_ptr element, bool metered) = 0;

 protected:
  ~exit_desk() = default;
};

/// Stages 4, 6 and 9: what viewers ask of the gateway itself.
class inquiry_desk {
 public:
  /// It has passed the stages that such a request has.
  virtual void answer(fact<stage::rate_limit> c) = 0;
  /// What it is about would pass stage 5, and go on to what stage 6 asks.
  virtual void explain(fact<stage::authorize> c) = 0;
  /// It is refused. True: what it is about is, and that was the answer.
  virtual bool explain(refused& r) = 0;

 protected:
  ~inquiry_desk() = default;
};

/// All of them, as ROUTER lays them out for a call's way.
struct desk {
  entrance_desk& entrance;
  session_desk& sessions;
  introduction_desk& introductions;
  stream_desk& streams;
  request_desk& requests;
  suspension_desk& suspensions;
  list_desk& lists;
  task_desk& tasks;
  upstream_desk& upstreams;
  exit_desk& exit;
  inquiry_desk& inquiries;
  mcp::stateless::known_envelopes envelopes{};
  traces::tracer_ptr tracer{};  ///< null: no spans are recorded
  sha256 digest{};
};

}  // namespace gate::pipeline
