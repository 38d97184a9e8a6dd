#pragma once
/// The requests of a client that the child has yet to answer, and the streams that their answers
/// become. What is said on them is kept for a while, so that a client whose connection broke can
/// come back for the rest. Part of SESSION. (MCP 2025-11-25 /basic/transports, Resumability and
/// Redelivery.)
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/mcp/http_rules.hpp"
#include "protocol/sse/streaming.hpp"
#include "shim/conversation.hpp"
#include "shim/slow_readers.hpp"

namespace gate::shim {

/// What client and child have agreed on.
struct handshake {
  std::string version;  ///< empty before
  bool live = false;    ///< the child has answered `initialize`
};

class client_calls {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using number = conversation::number;
  struct call {
    exchange_ptr from;
    std::string id;             ///< raw
    sse::answer_stream stream;  ///< that its answer may become
    bool initialize = false;
  };

  /// `session_line`: the header line that names the session.
  client_calls(std::string session_line, sse::replay& said, const handshake& agreed,
               leaving_readers& leaving)
      : session_line_(std::move(session_line)), replay_(said), agreed_(agreed), leaving_(leaving) {}

  bool empty() const { return calls_.empty(); }
  /// Why this request can not be one of them, if it can not.
  std::optional<mcp::http_rule> refuses(const jsonrpc::message& request) const;
  /// The text of the request, good as long as it waits.
  std::string_view add(const jsonrpc::message& request, exchange_ptr from, time_point now);
  bool is_handshake(std::string_view raw_id) const;
  /// It was answered: forgets it.
  std::optional<call> take(std::string_view raw_id);
  /// The child has been told; whether it answers all the same or not, nobody waits any more.
  void cancel(std::string_view raw_id);

  /// To which of them the child says this; nothing: to none.
  std::optional<number> place_of(const jsonrpc::message& m) const;
  void send_event(number to, std::string_view text, time_point now);
  /// Byte for byte as the child said it.
  void answer(call c, std::string_view text, time_point now);
  void refuse(call c, reason why, std::string_view message, time_point now);
  void refuse_all(reason why, std::string_view message, time_point now);
  /// Without a word.
  void forget() { calls_.clear(); }

  /// A client that has come back for the stream of a call.
  void resume(const sse::resumption& back, exchange_ptr from, time_point now);
  void keep_alive(time_point now);
  bool anybody_slow() const;
  /// Somebody waits for an answer. (A request whose client is gone does not count: the child may
  /// never answer it.)
  bool anybody_waits() const;

 private:
  void begin_stream(call& c);
  bool hears(number n) const;

  std::string session_line_;
  sse::replay& replay_;
  const handshake& agreed_;
  leaving_readers& leaving_;
  conversation talk_;
  std::map<number, call> calls_;
};

}  // namespace gate::shim
