#pragma once
/// INPUT ROUNDS: a server of the stateless generation that wants to know something before it
/// answers a call says `input_required` (MCP 2026-07-28 /basic/patterns/mrtr). A client with a
/// session knows nothing of that: it is asked by requests, as a server of its generation would ask
/// it, and the call is made once more with its answers. Part of UPSTREAM SESSION.
///
///   a round
///   begins   with the result; each entry becomes a `server_request` of the call
///   ends     with the last answer: the call is made again, with the answers and the state, as it
///            was said; without entries after `limits::input_pause`
///   fails    the client refuses or can not be asked, the result is malformed,
///   `limits::input_rounds`
///            were not enough: the call ends as an error, that of a tool as its result (`isError`)
///
/// What is asked meanwhile is a piece of work whose fetch is over: it is in the table under a
/// number that no fetch has, so deadlines, cancelling and the end of the session find it.
#include <memory>
#include <string>
#include <string_view>

#include "actors/upstream/session_rules.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/stateless/input_required.hpp"

namespace gate::upstream {

class input_rounds {
 public:
  input_rounds(session_state& s, const session_rules& r) : s_(s), r_(r) {}

  /// The call was answered so. True: it is a question to the client, and the call goes on.
  bool begin(job& w, const jsonrpc::message& m);
  /// Asks the client this on behalf of the server, in the work's course.
  void ask(job w, const mcp::stateless::server_questions& asked);
  /// The client has answered; false: nothing that was asked here.
  bool on(const client_reply& m);
  /// Does this one, which is late, wait for its client? Then it ends: that is no fault of the
  /// server.
  bool late(pending& p);
  /// Is this one pausing? Then the pause is over.
  bool resume(std::uint64_t id, const pending& p);

 private:
  void ask_one(std::uint64_t id, const mcp::stateless::server_question& q, work& w);
  void take_answer(std::uint64_t id, input_round& round, input_round::request& r,
                   const client_reply& m);
  job take(std::uint64_t id);
  void again(job w);
  void fail(job w, std::string_view why);
  void take_back(work& w);

  session_state& s_;
  const session_rules& r_;
};

}  // namespace gate::upstream
