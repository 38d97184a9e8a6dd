#pragma once
/// SESSION: one client and one child. Writes the client's messages to the child, line by line;
/// takes what the child says to the stream it belongs to; keeps what was said for a client that
/// comes back; ends the child when the session ends, whoever ends it. Spawned by SHIM, which sends
/// it every request that names the session; ends when nothing is left of the child.
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/mcp/http_rules.hpp"
#include "protocol/sse/streaming.hpp"
#include "shim/child_end.hpp"
#include "shim/conversation.hpp"
#include "shim/interfaces.hpp"
#include "shim/tally.hpp"
#include "transport/pinned.hpp"
#include "transport/process/complaints.hpp"

namespace gate::shim {

/// Between two looks at deadlines, keep-alives and idleness.
inline constexpr std::chrono::seconds tick_interval{1};

struct session_parts {
  std::uint64_t number = 0;  ///< names it within the shim, and in the log
  std::string id;            ///< what its client calls it; never in the log
  shim_actor shim;
  tally_ptr tally;
  std::shared_ptr<sse::replay_pool> kept;
};

using session_base =
    session_actor::extend<caf::reacts_to<session_tick>>::extend<caf::reacts_to<patience_over>>::
        extend<caf::reacts_to<last_words_over>>::extend<caf::reacts_to<hear_more>>;

class session final : public pinned<session_base::base> {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  session(caf::actor_config& cfg, caf::execution_unit* unit, session_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "session"; }

 private:
  /// A request of the client that the child has yet to answer.
  struct call {
    exchange_ptr from;
    std::string id;             ///< raw
    sse::answer_stream stream;  ///< that its answer may become
    bool initialize = false;
    time_point since;
  };

  // What the client says (session.cpp).
  void take(exchange_ptr from);
  void take_post(exchange_ptr from, bool of_a_batch = false);
  void take_batch(const exchange_ptr& from);
  void take_message(exchange_ptr from, const jsonrpc::message& m);
  std::optional<mcp::http_refusal> cannot_take(const jsonrpc::message& m) const;
  void take_delete(exchange& from);
  void write(std::string_view message);
  void cancel(std::string_view raw_id);
  bool is_handshake(std::string_view raw_id) const;

  // What the child says (session.cpp).
  void on_spoke(child_spoke& m);
  /// Goes on with what the child said. While somebody who listens is slow it waits, and the child
  /// in front of its pipe: nothing is lost, and nothing piles up.
  void hear_on();
  void hear_rest();
  void pause(bool slow);
  bool somebody_is_slow();
  void leave(exchange_ptr from);
  void hear(std::string_view line);
  void hear_message(const jsonrpc::message& m, std::string_view text);
  bool hears(conversation::number n) const;
  void drop(std::string_view why, std::string_view line);
  void hear_nonsense(const jsonrpc::reading_error& e, std::string_view line);
  void on_initialized(call& c, const jsonrpc::message& answer);

  // Streams (session_streams.cpp).
  void begin_stream(call& c);
  void send_event(call& c, std::string_view text);
  void answer(call c, std::string_view text);
  void refuse_call(call c, reason why, std::string_view message);
  void send_own(std::string_view text);
  void take_get(exchange_ptr from);
  void listen(sse::replay::position heard, exchange_ptr from);
  void resume_call(const sse::resumption& back, exchange_ptr from);
  void keep_alive(time_point t);

  // Its end (session_end.cpp).
  void on_failed(const child_failed& m);
  void on_took(const child_took& m);
  void on_exited(const child_exited& m);
  void on_gone();
  std::string_view ending() const;
  void await_last_words();
  void on_last_words_over();
  void failed(std::string_view what);
  void close(reason why, std::string_view message);
  void on_end(const end_session& m);
  void on_tick();
  bool busy() const;

  time_point now() const;
  std::string headers() const;

  session_parts parts_;
  std::string label_;
  child_end<session> end_;
  conversation talk_;
  std::map<conversation::number, call> calls_;
  sse::replay replay_;
  exchange_ptr stream_;  ///< the GET stream, if one is open
  time_point stream_written_{};
  sse::replay::position heard_{};    ///< what of the session's own stream was told to a client
  process::complaints nonsense_;     ///< how much of what is no message is logged
  std::vector<std::string> before_;  ///< for a child that does not run yet
  std::string version_;              ///< negotiated; empty before
  std::size_t unread_ = 0;           ///< bytes that the child has yet to read
  time_point began_{}, last_seen_{};
  std::optional<child_exited> exited_;
  std::vector<std::string> said_;  ///< by the child, and has yet to be heard
  std::size_t said_at_ = 0;        ///< the next of them
  time_point held_{};              ///< when somebody was slow last
  time_point ending_since_{};      ///< when the child's last words were waited for first
  /// Have their last answer, or another stream in their place, and yet much to take.
  std::vector<exchange_ptr> leaving_;
  bool said_last_ = false;  ///< the child says nothing more
  bool paused_ = false;     ///< `hear_more` comes
  bool slow_ = false;       ///< that is because somebody is slow
  bool gone_ = false;       ///< nothing is left of the child; what it said is heard first
  bool live_ = false;       ///< the child has answered `initialize`
  bool out_ended_ = false;
  bool closed_ = false;    ///< the session is over; its processes may still be ending
  bool stopping_ = false;  ///< it ends with its last request in flight
};

}  // namespace gate::shim
