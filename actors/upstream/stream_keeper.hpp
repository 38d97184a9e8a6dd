#pragma once
/// STREAM KEEPER: event streams that go on, and those that say nothing any more. The session's own
/// stream is opened again whenever it ends (own_stream.hpp); the stream that carries an answer is
/// gone on with if it ended before the answer came. Part of UPSTREAM SESSION, of the generation of
/// the protocol that has sessions.
///
///   a call's stream      ends, ids seen        pause over         the GET is refused
///   open                 wait                  -                  -
///   waits                -                     GET, open          -
///   open, by GET         wait, or give up      -                  the call fails; never sent again
///
/// Deadline, cancellation and the end of the session treat one that waits as one that runs.
///
///   a stream that is silent (streamIdleMs)     what happens
///   of a call, ids seen                left, and gone on with behind the last id
///   of a call, none or too often       left; the call fails as one that timed out
///   of a call that asks its client     waited for: it is the client's turn
///   the session's own                  left, and opened again
///
/// Comments that keep a connection alive are not heard here, so they do not count. However much is
/// said, no call lasts longer than `timeouts.maxRequestMs`.
#include <string_view>

#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class stream_keeper {
 public:
  using time_point = session_state::time_point;

  stream_keeper(session_state& s, session_rules& r) : s_(s), r_(r) {}

  // The session's own.
  void open();
  /// There is a credential by now.
  void begin_if_due();
  void close();
  /// What is to be heard on it has changed, where that is said as it is opened.
  void renew();
  /// The server has taken what is asked for on the stream of this fetch, as it says (raw params).
  void acknowledged(std::uint64_t id, std::string_view params);
  void ended(const fetched& f);
  /// The session can not be opened at all: one that listens tries again by itself.
  void could_not_open();
  /// A pause is over.
  void reopen();

  // Answers.
  /// A fetch has ended, and events with ids had come. True: if the answer has not, it is still to
  /// be had; the entry stays and waits.
  bool resume_later(pending& p, const fetched& f);
  /// A pause is over. False: the session was lost meanwhile.
  bool resume(std::uint64_t id, pending& p);
  /// The session is lost: what waits to go on with one of its streams waits in vain.
  void resume_none();

  // Silence.
  /// From now on it may be silent for a while.
  void await_word(pending& p);
  void silent(std::uint64_t id);

 private:
  void begin();
  void open_again();
  void reopen_at(time_point at);
  void give_up(std::uint64_t id);
  bool renews_credential(const fetched& f);

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
