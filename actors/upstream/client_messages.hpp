#pragma once
/// CLIENT MESSAGES: what of its client the server must hear: answers, notifications, log level,
/// subscriptions. Part of UPSTREAM SESSION, of the generation of the protocol that has sessions.
#include "actors/upstream/said_subscriptions.hpp"
#include "actors/upstream/session_rules.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::upstream {

class client_messages {
 public:
  client_messages(session_state& s, session_rules& r) : s_(s), r_(r) {}

  /// The client answered what the upstream asked.
  void on(client_reply& m);
  void on(client_progress& m);
  void on(const client_notice& m);
  void on(const profile_changed& m);
  /// The client was subscribed elsewhere, and goes on here; or it wants to be, and waits to hear
  /// whether it is.
  void on(subscribe_again& m);
  /// The client may not be told of these any more.
  void on(const gate::unsubscribe& m);
  /// Who asks, and for whom, as a request says it.
  void meet(const profile_ptr& p, const identity::caller_ptr& c);

  /// The log level is the session's: a new one must hear of it.
  void send_level();
  /// A new session knows nothing of what the client is subscribed to.
  void renew_subscriptions();
  /// There is none: who waits to hear of a subscription hears that it is none.
  void could_not_open();
  /// A call to unsubscribe is sent. The client says in which order; answers may come in another.
  void undo_subscriptions(const work& w);

  /// `resources/subscribe`, or the other one, in the name of the session itself; as soon as the
  /// server has answered what it was told of this resource before.
  void tell(std::string_view method, std::string_view raw_uri, bool renewal = false);
  /// What the server was told by this fetch has been answered on a stream; or the fetch has ended,
  /// or takes too long.
  void answered(std::uint64_t fetch, const jsonrpc::message& m);
  void ended(const pending& p, const fetched& f);
  void late(std::uint64_t fetch, const pending& p);

 private:
  enum class heard : std::uint8_t { agreed, refused, silent };
  void settle(std::uint64_t fetch, heard how);
  void await(std::string uri);
  void settle_awaited(bool agreed);
  void report(std::string uri, bool agreed);

  session_state& s_;
  session_rules& r_;
  said_subscriptions said_;
  client_side::uris awaited_;  ///< ROUTER waits to hear whether the server agrees to these
};

}  // namespace gate::upstream
