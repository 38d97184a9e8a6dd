#pragma once
/// OWN STREAM: the GET stream of a session, on which the server says what belongs to no request.
/// It is opened again whenever it ends. Pure, time is a parameter; part of UPSTREAM SESSION, of the
/// generation of the protocol that has sessions.
///
///   it ended with                             then
///   405, or a page for whoever comes by GET   never again: the server has none, which it may
///   404, and there was one in this session    the session is lost; else as 405
///   401, once, for the credential             again as soon as there is another one
///   a refusal, and it had asked for the rest  again at once, without an id: not all servers take
///                                             one
///   anything else                             again in a while: as the server says, longer each
///                                             time that it was good for nothing
#include <chrono>
#include <cstdint>
#include <utility>

#include "actors/upstream/resume_point.hpp"

namespace gate::upstream {

class own_stream {
 public:
  using time_point = resume_point::time_point;

  /// Its fetch, while there is one; else 0.
  std::uint64_t id() const { return id_; }
  resume_point& place() { return place_; }
  /// It once was open, in this session.
  bool worked() const { return worked_; }
  /// It is open; or there is none, or it could not be opened: then nobody waits for it. (One that
  /// was good for something and has ended is about to be opened again.)
  bool settled() const { return settled_; }
  /// What it would have said since it ended is unknown, and will not be said.
  bool missed_something() const { return worked_ && !place_.known(); }

  /// It is asked for by this fetch.
  void begin(std::uint64_t id, time_point now, std::uint32_t shown = 0);
  /// Which credential it was asked for with.
  std::uint32_t shown() const { return shown_; }
  /// What it is asked for has changed: the next that begins takes its place, once it has been
  /// acknowledged. False: one is about to do so, and has not been so for longer than `patience`;
  /// `acknowledged` will say that it is not enough.
  bool change(time_point now, std::chrono::milliseconds patience);
  /// The one whose place is being taken; or 0.
  std::uint64_t before() const { return before_; }
  void before_is_gone() { before_ = 0; }
  /// The new one has come to nothing: the former one goes on.
  void fall_back();
  /// What it is asked for has changed, and no other one can begin yet.
  void falls_short() { changed_ = true; }
  /// Is something else to be asked for than the one that there is?
  bool lacks() const { return changed_; }
  /// Nothing of the former one is needed any more. True: another change has come meanwhile.
  bool acknowledged();
  /// It is open.
  void opened() {
    worked_ = settled_ = true;
    renewed_ = false;
  }
  /// It was refused for a credential that is good no more. True: it is asked for at once with
  /// another one, which it was not yet since it was open.
  bool renew_credential() { return !std::exchange(renewed_, true); }
  /// There is no fetch any more.
  void closed() { id_ = before_ = 0, changed_ = settled_ = false; }
  /// Ids of events belong to a session.
  void in_new_session();

  struct next {
    enum class step : std::uint8_t { never, at_once, lost, later } what = step::never;
    time_point at{};  ///< of `later`
  };
  next ended(const fetched& f, time_point now);
  /// The server has said that there is none.
  static bool is_refused(const fetched& f);
  /// The session could not be opened at all: when to try again.
  time_point after_failure(time_point now);

  /// It is to be opened at this time: the latest word counts. True: a timer is to be set for it;
  /// there is one at a time.
  bool wait_until(time_point at);
  /// The timer has rung.
  void rung() { armed_ = false; }
  /// Not to be opened before.
  time_point due() const { return due_; }

 private:
  void pause_longer();

  std::uint64_t id_ = 0, before_ = 0;
  std::uint32_t shown_ = 0;
  bool changed_ = false;  ///< since the one was begun that takes the place of `before_`
  resume_point place_;
  bool worked_ = false;
  bool settled_ = false;
  bool renewed_ = false;
  time_point opened_{};
  std::chrono::milliseconds pause_{0};
  time_point due_{};
  bool armed_ = false;
};

}  // namespace gate::upstream
