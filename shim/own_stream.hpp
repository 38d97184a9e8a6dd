#pragma once
/// The stream of a session that belongs to no request, its GET stream, if one is open: what is said
/// on it, and what its client has heard. Part of SESSION. (MCP 2025-11-25 /basic/transports,
/// Listening for Messages from the Server.)
#include <chrono>
#include <string_view>

#include "protocol/sse/streaming.hpp"
#include "transport/interfaces.hpp"

namespace gate::shim {

class own_stream {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `said`: all that the session says.
  explicit own_stream(sse::replay& said) : replay_(said) {}

  /// Kept until somebody listens.
  void say(std::string_view text, time_point now);
  /// From `after` on; `position()` for a client that does not say where it was. `primes`: it knows
  /// events without data. Returns the stream that it takes the place of, which has ended: after a
  /// network change the client knows better than we do that the old one is dead. `lost`: some of
  /// what it missed is kept no longer.
  exchange_ptr listen(exchange_ptr from, sse::replay::position after, bool primes, time_point now,
                      bool& lost);
  void keep_alive(time_point now);
  void end();
  /// Without a word.
  void forget() { listener_ = nullptr; }

  sse::replay::position position() const { return heard_; }
  /// Null: there is none.
  const exchange_ptr& listener() const { return listener_; }
  bool listened_to() const { return listener_ && listener_->alive(); }

 private:
  sse::replay& replay_;
  exchange_ptr listener_;
  time_point written_{};
  sse::replay::position heard_{};  ///< what of it was told to a client
};

}  // namespace gate::shim
