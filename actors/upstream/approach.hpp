#pragma once
/// APPROACH: what comes before a handshake: a credential, an endpoint, room. Part of UPSTREAM
/// SESSION.
///
/// Without a good credential nothing is sent: work waits until CREDENTIALS has answered. BALANCER
/// picks an endpoint for each attempt to connect, and hears which could not be reached; a session
/// stays with its endpoint as long as it lives.
///
///   no connection              while opening                    once ready
///   there are other endpoints  the next one, at most            lost; what was not sent goes over
///                              `connect_candidates` in all      the next session
///   there is one               as any failed handshake          the request fails
///
/// While opening, an endpoint is as good as not reached if it breaks off, says by a 5xx that it
/// does not work, or has not answered within the request timeout. Any other answer is one: 4xx, a
/// JSON-RPC error. What waits for the session keeps its own deadline, however many are tried.
#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class approach {
 public:
  approach(session_state& s, session_rules& r) : s_(s), r_(r) {}

  /// The session is wanted.
  void open();

  // Credentials.
  /// Gets a good line; what waits for it goes on when it is there.
  void provide_credential();
  void on(credential_told m);
  void credentials_replaced();
  /// The upstream did not take the credential that this was sent with. True if there is another one
  /// by now, or one can be had.
  bool renew_credential(int status, std::uint32_t shown);

  // Endpoints.
  void on(const endpoint_picked& m);
  /// Nobody picks any more.
  void balancer_replaced();
  /// The endpoint has failed the handshake. True: it is tried with another one. `full`: it works,
  /// but has no room for another session.
  bool try_elsewhere(bool full);
  /// A fetch of this session could not connect. True: that was the end of the session, or it had
  /// ended already, and there are other endpoints.
  bool endpoint_lost(const pending& p, fetch_end how);

  // Room.
  /// No endpoint could be had, and one of them only because it is full.
  void no_room();
  void ask_for_room_again();
  /// Is it not the upstream that what waits for the handshake waits for, but one of us, or room?
  bool waits_for_us() const;

 private:
  void connect();
  void picked();
  void take_credential(std::string line, session_state::time_point until);
  void without_credential();

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
