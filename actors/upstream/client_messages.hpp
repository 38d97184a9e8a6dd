#pragma once
/// CLIENT MESSAGES: what of its client the server must hear: answers, notifications, log level,
/// subscriptions. Part of UPSTREAM SESSION, of the generation of the protocol that has sessions.
#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class client_messages {
 public:
  client_messages(session_state& s, session_rules& r) : s_(s), r_(r) {}

  /// The client answered what the upstream asked.
  void on(client_reply& m);
  void on(client_progress& m);
  void on(const client_notice& m);
  void on(const profile_changed& m);
  /// The client was subscribed elsewhere, and goes on here.
  void on(subscribe_again& m);
  /// The client may not be told of these any more.
  void on(const gate::unsubscribe& m);
  /// Who asks, and for whom, as a request says it.
  void meet(const profile_ptr& p, const identity::caller_ptr& c);

  /// The log level is the session's: a new one must hear of it.
  void send_level();
  /// A new session knows nothing of what the client is subscribed to.
  void renew_subscriptions();
  /// A call to unsubscribe is sent. The client says in which order; answers may come in another.
  void undo_subscriptions(const work& w);

  /// `resources/subscribe`, or the other one, in the name of the session itself.
  void tell(std::string_view method, std::string_view raw_uri);

 private:
  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
