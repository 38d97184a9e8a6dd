#pragma once
/// TASK BRIDGE: calls that become tasks, and calls about tasks, between a client of one generation
/// and a server of the other (protocol/mcp/stateless/task_shapes.hpp has the words of both). What
/// takes several requests is one piece of work for WORK DESK, whose legs are asked one after the
/// other and of which the first is charged. Part of UPSTREAM SESSION.
///
///   client with a session,       the server of the stateless generation is asked
///   asks for
///   a call as a task             the same, for a client that takes tasks; if it answers at once,
///                                that is a task that has ended (ended_tasks.hpp)
///   tasks/get                    the same
///   tasks/result                 tasks/get, until the task has ended; what that asks for becomes
///                                requests to the client (input_rounds.hpp), its answers
///                                tasks/update
///   tasks/cancel                 tasks/get: one that has ended can not be cancelled; tasks/cancel;
///                                tasks/get, for the answer
///
///   client without, asks for     the server with sessions is asked
///   a tool that takes tasks only  the same, as a task
///   tasks/get                    the same; of one that has ended tasks/result as well; of one that
///                                asks something, what that is (task_hearings.hpp)
///   tasks/update                 tasks/get, whether it is there; its questions are answered
///   tasks/cancel                 the same; if it refuses, tasks/get, whether it is there: one that
///                                has ended is acknowledged all the same
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/upstream/ended_tasks.hpp"
#include "actors/upstream/session_rules.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::upstream {

class task_bridge {
 public:
  task_bridge(session_state& s, const session_rules& r)
      : s_(s), r_(r), ended_(s.others.tasks.bytes) {}

  /// What the server would be asked, and need not be: the end of the response, from its result or
  /// error on.
  std::optional<std::string> own_answer(const work& w);
  /// Before a call is sent: makes of it what this server is to be asked.
  void prepare(work& w);
  /// The server has answered. True: that was one leg of several, or it was told in other words; the
  /// work is taken along.
  bool took(job& w, const jsonrpc::message& m);
  /// Is this one pausing between two legs? Then the pause is over.
  bool resume(std::uint64_t id, const pending& p);
  /// Does this one, which is late, wait for its task? Then it ends: that is no fault of the server.
  bool late(pending& p);
  /// Forgets what was kept for long enough; when it is to look again.
  session_state::time_point look(session_state::time_point now) { return ended_.expire(now); }
  /// A question of this task (raw id) has come, or is off, or there will be none.
  void resume_within(std::string_view raw_id, std::chrono::milliseconds pause);

 private:
  void prepare_for_stateless(work& w);
  void prepare_for_sessions(work& w);

  // Servers of the stateless generation.
  bool ask_stateless(job& w, const jsonrpc::message& m);
  void make_ended(job w, std::string_view raw_result);
  void wait_for_end(job w, std::string_view raw_task);
  void cancel(job w, std::string_view raw_task);
  // Servers of the session generation.
  bool ask_session(job& w, const jsonrpc::message& m);
  void show(job w, std::string_view raw_task);
  void show_questions(job w);
  void show_end(job w, const jsonrpc::message& m);

  void leg(job w, std::string_view method);
  void hold(job w, std::chrono::milliseconds pause);
  /// In the words of its client's generation.
  void answer(job w, std::string_view result);
  void refuse(job w, std::string_view why);
  void end(job w, std::string_view name, std::string_view value);
  /// The server has said what it must not; `how`: for the log.
  void fail(job w, std::string_view how);

  session_state& s_;
  const session_rules& r_;
  ended_tasks ended_;
};

}  // namespace gate::upstream
