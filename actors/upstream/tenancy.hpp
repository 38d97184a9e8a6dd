#pragma once
/// TENANCY: a session's place among those of its upstream: whether something hangs on it, when it
/// was used last, and whether it goes when the upstream has no room for another. Clients come and
/// go without a word, so most of what fills an upstream may be bridged sessions that nobody will
/// use again: the longest unused one is ended for the new one. Part of UPSTREAM SESSION.
///
///   initialize is answered by 503 with Retry-After, and
///   some session can be given up      it is closed; asked again after a pause, doubling, some
///   times
///                                     (room_search.hpp)
///   none can, or it was all in vain   the upstream is busy, for all that waits for this session
///
/// First those whose clients do not listen. A client whose stream has closed a moment ago may come
/// back for it, or be a visitor that has gone without a word: its session goes if no other can. If
/// it comes back, its next call opens another one.
#include "actors/upstream/carrier.hpp"
#include "actors/upstream/own_news.hpp"
#include "actors/upstream/room_search.hpp"
#include "actors/upstream/session_basics.hpp"

namespace gate::upstream {

class tenancy {
 public:
  using time_point = session_basics::time_point;
  static constexpr auto never = session_basics::never;

  tenancy(session_basics& s, const carrier& by) : s_(s), by_(by) {}
  ~tenancy();
  tenancy(const tenancy&) = delete;
  tenancy& operator=(const tenancy&) = delete;

  /// From now on it is one of them.
  void enter();
  /// UPSTREAM has handed it a request.
  void taken();
  /// It is the latest that was used.
  void used();
  /// It is used again, whoever has chosen it to go.
  void stay();
  /// Its client may answer for so long what it was asked outside of all calls.
  void asks_until(time_point t) { asked_until_ = t; }
  /// A task was made that the server may have bound to it.
  void minted() { minted_ = true; }
  /// The session was opened; what an earlier one was told of ended with it.
  void opened();
  /// A change of a list was announced in it.
  void heard_of_change();

  /// Does something hang on this very session? Work that is under way, a subscription, a task that
  /// it minted, what it has asked its client, lists that the server made for its client alone, or
  /// of whose changes its client hears by nothing else.
  bool bound();
  /// When it is to be looked whether it has been idle for long; then UPSTREAM hears of it.
  time_point look(time_point now);

  // --- an upstream without room ---
  /// True: the handshake is to be tried again at `again_at`.
  bool make_room();
  /// An endpoint works, but has no room for another session.
  void full(std::size_t endpoint) { room_.full = room_.full.value_or(endpoint); }
  const std::optional<std::size_t>& full() const { return room_.full; }
  /// It is open, or will not be.
  void settle() { room_ = {}; }
  time_point again_at() const { return again_at_; }
  void again() { again_at_ = never; }

 private:
  /// For the sake of another.
  spare can_go();
  bool ends_idle() const;
  /// Of this one or another: UPSTREAM tells it to close, unless it has sent it a request meanwhile.
  void tell_idle(const tenancy& whom);

  session_basics& s_;
  const carrier& by_;
  std::optional<usage_order<tenancy>::place> in_use_;  ///< of a bridged session
  std::uint64_t taken_ = 0;                            ///< requests from UPSTREAM so far
  own_news news_;
  time_point asked_until_{};
  bool minted_ = false;
  fate_ptr given_up_;  ///< set: for the sake of another; it will be told to close, or be used
  room_search room_;   ///< for the session that is being opened
  time_point again_at_ = never;
};

}  // namespace gate::upstream
