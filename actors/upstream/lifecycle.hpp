#pragma once
/// LIFECYCLE: how a session opens by its handshake, is lost, and ends. (Its table is in
/// session.hpp.) Part of UPSTREAM SESSION, of the generation of the protocol that has sessions.
#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class lifecycle {
 public:
  lifecycle(session_state& s, session_rules& r) : s_(s), r_(r) {}

  // Opening.
  void begin_handshake();
  /// Whatever it says, it is never asked by a call which generation it speaks: a server that does
  /// not look might do what the call says (MCP 2026-07-28 /basic/versioning).
  void on_discover(const fetched& f, const std::string* text);
  /// The answers to its two requests; `text`: the message of the first, if any came.
  void on_initialize(const fetched& f, const std::string* text);
  void on_initialized(const fetched& f);
  /// The endpoint has not answered the handshake in time.
  void on_late_handshake();
  /// `why`: what clients are told; `health`: what /health is, if that is more.
  void open_failed(no_answer why, std::string_view detail, bool connect,
                   verdict how = verdict::failure, std::string_view health = {});
  /// A handshake has come to nothing; but the upstream may have opened a session already.
  void discard();

  /// Of whoever waits for the handshake; null: of nobody in particular.
  trace_ptr awaited_trace() const;

  /// Instead of a handshake: what the server has open for the client of a fleet, from another
  /// instance or an earlier session, goes on here. False: nothing is known of such.
  bool take_up();

  // Ready.
  /// Perhaps the server has the first word: see greeting.hpp.
  void greet();
  /// Sends what waits, unless the server has the first word.
  void check_greeting();
  /// What clients are told that the federation can do depends on it.
  void introduce(bool reached, bool missed = false, bool taken_up = false);
  /// The check of an endpoint is over; empty: it went well.
  void check_over(std::string_view why);

  // The end of it.
  /// Where the generation is found out: does this answer (status 200 or another) say that a server
  /// of the other one has taken its place?
  bool is_another_server(const fetched& f) const;
  /// The server does not know the session any more, or its endpoint can not be reached. What needs
  /// it opens a new one.
  void lose();
  /// Something is done. Told to close, with nothing left to do, it says goodbye and quits.
  void settle();
  /// The goodbye has arrived, or never will.
  bool awaits_credential();
  void said_goodbye();

 private:
  /// What another instance has open there; null: nothing that is not known here.
  const fleet::bridge* open_elsewhere() const;
  bool adopt(const fleet::bridge& open);
  bool begin_again();
  void initialize();
  /// Of either request that a handshake begins with. True: it came to nothing, and all is done.
  bool came_to_nothing(const fetched& f, std::string_view method);
  void ready();
  void be_ready();
  void number_apart();
  void tell_fleet();

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
