#pragma once
/// How what is said to a client becomes an event stream, and how a client whose connection broke
/// goes on where it was (MCP 2025-11-25 /basic/transports, Resumability and Redelivery). What is
/// kept for it is its session's `replay`. Pure: bytes go to an `outlet`. Part of ROUTER, and of the
/// shim's SESSION.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/sse/replay.hpp"

namespace gate::sse {

/// Where the bytes of a stream go: a client's request that has yet to be answered. If the client is
/// gone, everything is a no-op.
class outlet {
 public:
  /// Status 200 and the head of an event stream.
  virtual void open_stream(std::string_view headers) = 0;
  /// Bytes of the stream (whole events). False: the client is gone, or so slow that its queue
  /// exceeded `limits::client_queue_bytes` and it was cut off.
  virtual bool send(std::string_view bytes) = 0;
  /// Bytes of the stream that the client has yet to take from us.
  virtual std::size_t queued() const = 0;
  /// Ends the stream; the connection may serve another request.
  virtual void end_stream() = 0;
  virtual bool alive() const = 0;

 protected:
  ~outlet() = default;
};

/// The stream that the answer of one request becomes, if it becomes one. Whoever has the request
/// says to which outlet: another one, once its client has come back.
class answer_stream {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The head of a stream has gone out, in place of an answer.
  bool begun() const noexcept { return begun_; }
  /// Its number in the replay; 0: who loses it can not come back for it.
  std::uint64_t number() const noexcept { return number_; }
  /// The outlet takes what is said; else it is kept until the client comes back.
  bool attached() const noexcept { return attached_; }
  /// When something was said last, or the request came.
  time_point last_write{};

  /// From now on the answer is a stream. Its first byte goes out at once, if the client knows
  /// `priming`: with it the client knows that somebody is there, and where to resume from. `kept`
  /// null: it can not be resumed.
  void begin(outlet& to, std::string_view headers, replay* kept, bool priming);
  /// A message. False: nobody will hear it.
  bool say(outlet& to, replay& kept, std::string_view text, time_point now);
  /// Nothing more is said.
  void end(outlet& to, replay& kept);
  /// Ends what the client has of it: what is said from now on is kept.
  void detach(outlet& from);
  /// Its client has come back: who calls this puts the new outlet in the place of `from`.
  void come_back(outlet& from, time_point now);
  /// Has nobody said anything for so long to a client that listens?
  bool silent(const outlet& to, std::chrono::milliseconds silence, time_point now) const {
    return now - last_write >= silence && attached_ && to.alive();
  }
  /// A byte, so that proxies and clients see that somebody is there.
  void keep_alive(outlet& to, time_point now);

 private:
  bool begun_ = false;
  bool attached_ = true;
  std::uint64_t number_ = 0;
};

/// The beginning of a session's own stream: what its client missed, else where to resume from.
void begin_own(outlet& to, replay& kept, std::string_view missed, bool priming);

/// What becomes of a client that comes back with a Last-Event-ID.
struct resumption {
  enum class outcome : std::uint8_t {
    own,      ///< for its session's own stream: whoever keeps that decides
    call,     ///< for a call's stream: `missed` is to be sent, and more may come
    unknown,  ///< for one that is not known, or forgotten
    over,     ///< for one that has ended, and the client has all of it
  } what = outcome::unknown;
  replay::position place{};  ///< of `own` and `call`
  std::string missed{};      ///< of `call`: events, as they go onto the wire
};
resumption resume(const replay& kept, std::string_view last_event_id);
/// The beginning of a call's stream that goes on elsewhere: what its client missed, else where to
/// resume from if that breaks as well. (Without an id, some clients would come back for their
/// session's stream.)
void begin_resumed(outlet& to, replay& kept, const resumption& back, bool priming);

}  // namespace gate::sse
