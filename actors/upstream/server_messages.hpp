#pragma once
/// SERVER MESSAGES: what the upstream says by itself: requests to the client, notifications,
/// progress; and whose that is. Part of UPSTREAM SESSION, of the generation of the protocol that
/// has sessions.
///
///   progress with a token     on the call's stream   on the session's own   on another's stream
///   of a call that runs       the call's             the call's             nobody's
///   of a task of this client  the client's: on the stream of a call of its own, else on its own
///   unknown                   nobody's
#include "actors/upstream/session_rules.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::upstream {

class server_messages {
 public:
  server_messages(session_state& s, session_rules& r) : s_(s), r_(r) {}

  /// `p`: on whose stream it came; null if that is gone. `text` is the message, as it came.
  void on(pending* p, const jsonrpc::message& m, const std::string& text);

  /// No answer is awaited any more: its call has its usual time again. Returns that call, or 0.
  std::uint64_t question_over(std::string_view raw_id);
  /// All lists may have changed, unheard.
  void suspect_lists();
  /// A call was answered with a task (raw id; or empty), or was about one that has ended with it.
  void note_task(work& w, std::string_view raw_task);

 private:
  void on_question(pending* call, const jsonrpc::message& m, const std::string& text);
  void on_progress(pending* p, const jsonrpc::message& m, const std::string& text);
  void on_list_changed(std::string_view notification);

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
