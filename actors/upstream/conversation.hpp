#pragma once
/// CONVERSATION: one session with a server, as a client of it, in the generation of the protocol
/// that has sessions: what the server called it, what was agreed on, the header lines that go with
/// everything that is sent in it. Pure; part of UPSTREAM SESSION.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/upstream/handshake.hpp"
#include "transport/interfaces.hpp"

namespace gate::upstream {

/// Why a server can not be used that was reached: for the log, and for /health.
struct unfit {
  std::string detail, health;
};

/// The answer to `initialize`; `text`: its body, or an event's; may be null. Nothing: it is unfit.
std::optional<handshake> read_handshake(const fetched& f, const std::string* text, unfit& why);

class conversation {
 public:
  /// A handshake begins.
  void begin();
  /// What is sent until it has agreed names this version.
  void offer(std::string_view version) { agreed_.version = version; }
  /// The server named the session; one that does not fit into a header is not heard.
  void named(std::string_view id);
  /// The server has agreed: this is another session than those before.
  void agree(handshake what, std::string_view id);
  /// The server knows it no more, or it came to nothing.
  void forget() { id_.clear(); }

  const std::string& id() const { return id_; }
  const handshake& agreed() const { return agreed_; }
  /// How many there were so far.
  std::uint32_t epoch() const { return epoch_; }
  /// Names it for others, if sessions are numbered so: another one is another conversation.
  std::uint64_t name(std::uint64_t session) const { return session << epoch_bits | epoch_; }
  static std::uint64_t session_of(std::uint64_t name) { return name >> epoch_bits; }

  /// The lines of every request, made once for many.
  void make_headers(std::string_view credential);
  const std::shared_ptr<const std::string>& headers() const { return headers_; }
  /// Of a GET: for its own stream, or for the rest of the stream that had this event.
  std::shared_ptr<const std::string> stream_headers(std::string_view credential,
                                                    std::string_view last_event_id) const;

 private:
  static constexpr unsigned epoch_bits = 24;
  void append_own_lines(std::string& to) const;

  std::string id_;
  handshake agreed_;
  std::uint32_t epoch_ = 0;
  std::shared_ptr<const std::string> headers_;
};

}  // namespace gate::upstream
