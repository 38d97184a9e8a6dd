#pragma once
/// SESSION: one client and one child. Writes the client's messages to the child, line by line;
/// takes what the child says to the stream it belongs to; keeps what was said for a client that
/// comes back; ends the child when the session ends, whoever ends it. Spawned by SHIM, which sends
/// it every request that names the session; ends when nothing is left of the child.
#include <caf/typed_event_based_actor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/mcp/http_rules.hpp"
#include "protocol/sse/streaming.hpp"
#include "shim/child_end.hpp"
#include "shim/client_calls.hpp"
#include "shim/dropped_lines.hpp"
#include "shim/interfaces.hpp"
#include "shim/own_stream.hpp"
#include "shim/said_lines.hpp"
#include "shim/tally.hpp"
#include "transport/pinned.hpp"

namespace gate::shim {

struct session_parts {
  std::uint64_t number = 0;  ///< names it within the shim, and in the log
  std::string id;            ///< what its client calls it; never in the log
  shim_handle shim;
  tally_ptr tally;
  std::shared_ptr<sse::replay_pool> kept;
};

using session_base =
    session_handle::extend<caf::reacts_to<session_tick>>::extend<caf::reacts_to<patience_over>>::
        extend<caf::reacts_to<last_words_over>>::extend<caf::reacts_to<hear_more>>;

class session_actor final : public pinned<session_base::base> {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  session_actor(caf::actor_config& cfg, caf::execution_unit* unit, session_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "session"; }

 private:
  // What the client says (session.cpp).
  void take(exchange_ptr from);
  void take_post(exchange_ptr from, bool of_a_batch = false);
  void take_batch(const exchange_ptr& from);
  void take_message(exchange_ptr from, const jsonrpc::message& m);
  std::optional<mcp::http_refusal> cannot_take(const jsonrpc::message& m) const;
  void take_get(exchange_ptr from);
  void listen(sse::replay::position after, exchange_ptr from);
  void write(std::string_view message);

  // What the child says (session_hearing.cpp).
  void on_spoke(child_spoke& m);
  /// Goes on with what the child said. While somebody who listens is slow it waits, and the child
  /// in front of its pipe: nothing is lost, and nothing piles up.
  void hear_on();
  void pause(bool slow);
  bool somebody_is_slow();
  void hear(std::string_view line);
  void hear_message(const jsonrpc::message& m, std::string_view text);
  void hear_nonsense(const jsonrpc::reading_error& e, std::string_view line);
  void on_initialized(client_calls::call& c, const jsonrpc::message& answer);

  // Its end (session_end.cpp).
  void on_failed(const child_failed& m);
  void on_took(const child_took& m);
  void on_exited(const child_exited& m);
  void on_gone();
  void await_last_words();
  void on_last_words_over();
  void failed(std::string_view what);
  void close(reason why, std::string_view message);
  void on_end(const end_session& m);
  void on_tick();

  time_point now() const;

  /// What is known of the end of the child.
  struct child_ending {
    std::optional<child_exited> exited;
    time_point since{};      ///< when its last words were waited for first
    bool said_last = false;  ///< it says nothing more
    bool out_ended = false;  ///< and that was heard
    bool gone = false;       ///< nothing is left of it; what it said is heard first

    /// Why it is of no use any more.
    std::string_view why() const {
      if (exited) return "it has ended";
      return out_ended ? "it has closed its standard output" : "it has closed its standard input";
    }
  };

  session_parts parts_;
  std::string label_;
  child_end<session_actor> end_;
  handshake agreed_;
  sse::replay replay_;
  leaving_readers leaving_;
  client_calls calls_;
  own_stream own_;
  dropped_lines nonsense_;
  std::vector<std::string> before_;  ///< for a child that does not run yet
  std::size_t unread_ = 0;           ///< bytes that the child has yet to read
  time_point began_{}, last_seen_{};
  child_ending ending_;
  said_lines said_;
  time_point held_{};      ///< when somebody was slow last
  bool paused_ = false;    ///< `hear_more` comes
  bool slow_ = false;      ///< that is because somebody is slow
  bool closed_ = false;    ///< the session is over; its processes may still be ending
  bool stopping_ = false;  ///< it ends with its last request in flight
};

}  // namespace gate::shim
