#pragma once
/// What a client's connection is among the others of its unit: where it stands in the crowd, what
/// it holds of the room that all share, and when it is due. Pure. Part of a connection; the server
/// looks at it when there is no room.
#include <chrono>
#include <cstddef>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/http/body_room.hpp"
#include "transport/http/burden.hpp"
#include "transport/http/crowd.hpp"

namespace gate::http {

class connection;

/// What the client connections of one unit share. Owned by the server.
struct client_room {
  crowd<connection> clients;  ///< each knows its place and leaves by itself
  body_room bodies;
  std::size_t waiting = 0;  ///< bytes held for clients that have yet to take them
  /// The time of the last sweep: deadlines are coarse, and asking the clock for each costs.
  std::chrono::steady_clock::time_point now;
};

class client_place {
 public:
  using clock = std::chrono::steady_clock;
  using line = crowd<connection>::line;

  client_place(client_room& room, connection& who)
      : room_(room), at_(room.clients.join(who, room.now)) {}
  client_place(const client_place&) = delete;
  client_place& operator=(const client_place&) = delete;

  /// It holds nothing any more, and `room` may go. False: it had left before.
  bool leave() {
    if (!here_) return false;
    here_ = false;
    room_.clients.leave(at_);
    room_.waiting -= std::exchange(waiting_, 0);
    hold_body(0);
    return true;
  }
  void stand(line where) { room_.clients.move(at_, where, room_.now); }

  /// A request of it was answered with what it asked for, or came from somebody who is known. What
  /// it holds is no longer counted among that of strangers.
  void know() {
    if (std::exchange(known_, true)) return;
    room_.bodies.change(false, body_, 0);
    room_.bodies.change(true, 0, body_);
  }
  bool known() const { return known_; }

  /// So much of the body of its request has come. A body is counted as it comes, not as it is
  /// announced: bytes cost those who send them something.
  void hold_body(std::size_t bytes) {
    if (body_ == 0) body_since_ = room_.now;
    room_.bodies.change(known_, std::exchange(body_, bytes), bytes);
  }
  /// So much of what we said to it is held until it takes it. True: it is more than before.
  bool hold_waiting(std::size_t bytes) {
    const bool more = bytes > waiting_;
    room_.waiting += bytes - waiting_;
    waiting_ = bytes;
    return more;
  }
  /// It takes less than there is for it; or all of it again.
  void falls_behind() {
    behind_ = true;
    behind_since_ = room_.now;
  }
  void catches_up() { behind_ = false; }

  /// What it costs that the client takes its time: to take what waits for it, to send its body.
  burden of_waiting() const {
    return {waiting_, behind_ ? room_.now - behind_since_ : clock::duration{}};
  }
  burden of_body() const { return {body_, room_.now - body_since_}; }

  /// At the earliest after `d`, at the latest two sweeps later.
  void due_after(clock::duration d) { due_ = room_.now + d + limits::sweep; }
  void never_due() { due_ = clock::time_point::max(); }
  bool due() const { return room_.now >= due_; }

 private:
  client_room& room_;  ///< may be gone once it has left
  crowd<connection>::place at_;
  std::size_t waiting_ = 0, body_ = 0;
  clock::time_point behind_since_{}, body_since_{};
  clock::time_point due_ = clock::time_point::max();
  bool behind_ = false;
  bool known_ = false;
  bool here_ = true;
};

}  // namespace gate::http
