#pragma once
/// The table of what can happen to a request: each method, in each of the four cells of
/// generations. What makes no sense is left out, by a rule with its reason.
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::cell_table {

/// Who speaks: does the client have a session, do servers have some?
struct cell {
  bool client_sessions = false, server_sessions = false;
  mcp::era client() const { return client_sessions ? mcp::era::session : mcp::era::stateless; }
  bool native() const { return client_sessions == server_sessions; }
};

enum class event : std::uint8_t {
  plain,
  progress,
  input_once,
  input_twice,
  cancel,
  error,
  lost,  ///< the upstream, in mid-call
  expiry,
  tampering,
  restart,               ///< of the upstream, between two requests
  restart_while_asking,  ///< … while its client is asked
};
inline constexpr std::array event_names{
    "plain",  "progress",  "input_once", "input_twice",         "cancel", "error", "lost",
    "expiry", "tampering", "restart",    "restart_while_asking"};

/// What kind of request it is.
enum class shape : std::uint8_t { invocation, list, tasks_list, listening, level, task, none };
inline shape shape_of(const mcp::method& m) {
  using r = mcp::routing;
  if (m.list == mcp::list_kind::tasks) return shape::tasks_list;
  if (m.routing == r::fan_out) return shape::list;
  if (m.subscribing != mcp::subscribing::nothing || m.routing == r::listens)
    return shape::listening;
  if (m.routing == r::named || m.routing == r::owned || m.routing == r::completes)
    return shape::invocation;
  if (m.routing == r::task) return shape::task;
  if (m.name == mcp::names::set_level) return shape::level;
  return shape::none;
}

inline bool is_input(event e) {
  return e == event::input_once || e == event::input_twice || e == event::restart_while_asking;
}

/// The methods by which a client hears what a task wants to know.
inline bool hears_questions(const mcp::method& m, cell of) {
  return m.name == (of.client_sessions ? mcp::names::task_result : mcp::names::get_task);
}

/// Why this is not played; empty: it is.
inline std::string_view left_out(const mcp::method& m, cell of, event e) {
  if (m.routing == mcp::routing::notice) return "a notification has no answer";
  if (shape_of(m) == shape::none) return "it is answered here: no server has a part in it";
  if (!mcp::within(m.eras, of.client()))
    return e == event::plain ? "" : "it is refused before anything can happen";
  const bool asks = mcp::stateless::asks_by_result(m.name);
  switch (shape_of(m)) {
    case shape::invocation:
      if (is_input(e) && !asks) return "its answer can not be a question";
      if (e == event::expiry && !asks) return "nothing of it waits for its client";
      if (e == event::tampering && (!asks || of.client_sessions))
        return "its client is handed nothing that it could change";
      break;
    case shape::list:
      if (is_input(e)) return "its answer can not be a question";
      if (e == event::progress) return "it is fetched for everybody: nobody's token goes with it";
      if (e == event::expiry) return "nothing of it waits for its client";
      break;
    case shape::tasks_list:
      if (is_input(e)) return "its answer can not be a question";
      if (e == event::progress) return "it is gathered from all: nobody's token goes with it";
      if (e == event::expiry) return "nothing of it waits for its client";
      if (!of.server_sessions && e != event::plain)
        return "a server without sessions has no such list, and is not asked";
      break;
    case shape::listening:
      if (is_input(e)) return "its answer can not be a question";
      if (e == event::progress) return "it has none";
      if (e == event::expiry) return "it lasts as long as its client wants";
      if (e == event::tampering) return "its client is handed nothing that it could change";
      if (e == event::cancel && of.client_sessions)
        return "it is answered at once: `resources/unsubscribe` ends it";
      if (e == event::error && m.subscribing == mcp::subscribing::ends)
        return "whoever leaves has left, whatever the server says";
      if (e == event::error && of.client_sessions && !of.server_sessions)
        return "its client is answered before the server is";
      break;
    case shape::level:
      if (e != event::plain && e != event::restart)
        return "it is answered here: a server hears of it with the calls";
      break;
    case shape::task:
      if (e == event::progress) return "what a task has to say it says by its status";
      if (e == event::expiry) return "how long a task is kept its server says";
      if (is_input(e) && !hears_questions(m, of))
        return "a task's questions come by another method";
      if (e == event::restart_while_asking)
        return of.server_sessions ? "tasks_that_ask.begin_anew_with_another_session"
                                  : "a server without sessions has nothing to forget";
      if (m.name == mcp::names::update_task && of.client_sessions)
        return "its generation has no such method, though others pass it";
      break;
    case shape::none:
      break;
  }
  return "";
}

/// Why a client may see something else than a server of its own generation would have said; empty:
/// it sees the same.
inline std::string_view differs(const mcp::method& m, cell of, event e) {
  if (of.native()) return "it is what the others are compared with";
  if (shape_of(m) == shape::tasks_list) return "a server without sessions has no such list";
  if (e == event::expiry) return "how long its state is good a server without sessions says";
  if (e == event::tampering && shape_of(m) == shape::invocation)
    return "a server without sessions judges its states itself";
  if (e == event::restart_while_asking) return "a server without sessions has nothing to forget";
  return "";
}

}  // namespace gate::cell_table
