#pragma once
/// SENDER: what a session sends: each request and notification as a fetch for EGRESS, in the
/// session that there is, with its header lines. Part of UPSTREAM SESSION, of the generation of the
/// protocol that has sessions.
#include <string>
#include <string_view>

#include "actors/upstream/session_state.hpp"
#include "protocol/mcp/progress.hpp"

namespace gate::upstream {

class sender {
 public:
  explicit sender(session_state& s) : s_(s) {}

  /// `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`
  static std::string head(std::uint64_t id, std::string_view method);

  /// The body is `before` + `first` + `second` + `after`, without joining them; `keep` keeps alive
  /// what the views point into. The number of the fetch: that which `next_id` said.
  std::uint64_t post(std::string before, std::string_view first = {}, std::string_view second = {},
                     std::string_view after = {}, std::shared_ptr<const void> keep = {},
                     bool repeatable = false, const trace_ptr& trace = {});
  /// Something that may be sent twice, and that fits into a string.
  std::uint64_t post_again(std::string text, const trace_ptr& trace = {});
  /// The same with header lines of its own behind those of all, as the fetch that has this number
  /// already. `keep` keeps alive what the pieces are of.
  void post_as(std::uint64_t id, std::shared_ptr<const std::string> own_headers,
               mcp::request_pieces text, std::shared_ptr<const void> keep, bool repeatable);
  /// Ours in the place of the call's progress token, from now on.
  std::string progress_token(work& w, std::uint64_t id);
  /// A call, as the client made it, but for its progress token and its envelope.
  std::uint64_t post_call(work& w);
  /// For the session's own stream, or for the rest of the stream that had this event.
  void get(std::uint64_t id, std::string_view last_event_id);
  /// DELETE. EGRESS sees to it that one that does not answer is not waited for. It may take its
  /// time until it is sent: many sessions may end at once, and go behind calls.
  void end_session(purpose why);

  /// A notification or a response.
  void notice(std::string text);
  /// Remembers a fetch that carries no work; it has a deadline all the same.
  void expect(std::uint64_t id, purpose k);

 private:
  void start(std::shared_ptr<fetch> f);

  session_state& s_;
};

}  // namespace gate::upstream
