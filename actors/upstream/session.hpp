#pragma once
/// UPSTREAM SESSION: one MCP session with one upstream, as a client of it. The root session serves
/// lists and probes and listens for list_changed; a bridged session carries the named calls of one
/// client, and with `listsPerClient` does all of that for it but probes.
///
///   state     work arrives     handshake ends      it can not connect       the session is lost
///   closed    open; wait       -                   -                        -
///   opening   wait (bounded)   ready, or all fail  next replica, or all     -
///                                                  fail (or the replica
///                                                  itself fails)
///   ready     send             -                   lost, if there are       closed; open again and
///                                                  replicas; else the       retry once what was
///                                                  request fails            surely not processed
///
/// A session is lost when the server has forgotten it, or is one of several and can not be reached.
/// It stays with one endpoint for life. A request with a price waits for BUDGET once it could be
/// sent:
///
///   waits for     yes                      no              deadline, cancelled   BUDGET crashed
///   BUDGET        send (or, if the         refused as      ended; the unit may   as yes
///                 session is lost: open)   exhausted       have been spent
///
/// An event stream that ends before the answer came is gone on with, if its events had ids: the
/// call waits, then a GET brings the rest. To whoever waits for the call nothing has happened.
///
/// Once told to close it refuses new work, finishes or cancels what runs, ends the session and
/// quits. Its deadlines are kept by UPSTREAM, so that a session which has ended leaves no timer
/// behind.
///
/// This is its core: messages come in by `on`, what it does goes out by the doors of
/// session_doors.hpp; no actor, socket or clock. UPSTREAM SESSION's actor is around it
/// (session_actor.hpp). It consists of the parts in session_state.hpp and the rules about them in
/// session_rules.hpp; here is who gets which event.
#include "actors/upstream/approach.hpp"
#include "actors/upstream/arrivals.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/session_carrier.hpp"
#include "actors/upstream/stateless_sender.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/task_bridge.hpp"
#include "actors/upstream/task_hearings.hpp"
#include "actors/upstream/tenancy.hpp"
#include "actors/upstream/watching.hpp"
#include "actors/upstream/work_desk.hpp"

namespace gate::upstream {

class session {
 public:
  using time_point = session_state::time_point;

  /// `number`: unique among all sessions of the process.
  session(const facts& of, role who, std::uint64_t number, session_doors& doors,
          session_guards& guards, peers& others);
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Who is behind the name of a session in `server_request`, `server_request_cancelled` and
  /// `client_reply`.
  static std::uint64_t number_of(std::uint64_t name) { return conversation::session_of(name); }

  /// Once, before all else.
  void begin();

  // What is wanted of it.
  void on(invoke& m);
  void on(const fetch_list& m);
  void on(const introduce& m);
  void on(probe& m);
  void on(const cancel_call& m) { desk_.cancel(m); }
  void on(client_reply& m) { client_.on(m); }
  void on(client_progress& m) { client_.on(m); }
  void on(const profile_changed& m) { client_.on(m); }
  void on(const client_notice& m) { client_.on(m); }
  void on(subscribe_again& m) { client_.on(m); }
  void on(const gate::unsubscribe& m) { client_.on(m); }
  void on(const watches_changed& m) { watch_.on(m); }
  void on(const tools_settled&) { desk_.look_for_tools(); }
  void on(const close_session& m);
  // What it has asked for.
  void on(fetched& m) { arrivals_.on(m); }
  void on(streamed& m) { arrivals_.on(m); }
  void on(const charged& m) { desk_.on(m); }
  void on(const endpoint_picked& m) { way_.on(m); }
  void on(credential_told& m) { way_.on(std::move(m)); }
  void on(const session_tick& m);
  void reopen() { streams_.reopen(); }
  // Whoever was asked has crashed, or another one has come: it goes on without a word from it.
  void credentials_replaced() { way_.credentials_replaced(); }
  void budget_replaced() { desk_.charge_nobody(); }
  void balancer_replaced() { way_.balancer_replaced(); }

 private:
  session_state state_;
  // They know each other by `rules_`, and none does anything before the first event.
  session_carrier carrier_;
  tenancy place_;
  session_rules rules_;
  work_desk desk_;
  approach way_;
  sender out_;
  stateless_sender plain_;
  input_rounds input_;
  watching watch_;
  task_bridge tasks_;
  task_hearings hearings_;
  lifecycle life_;
  stream_keeper streams_;
  server_messages server_;
  client_messages client_;
  arrivals arrivals_;
};

}  // namespace gate::upstream
