#pragma once
/// CLIENT MESSAGES: what of its client the server must hear: answers, notifications, log level,
/// subscriptions. Part of UPSTREAM SESSION, of the generation of the protocol that has sessions.
///
/// What the server tells of a subscription comes on the session's own stream, and is lost if that
/// is not open. So who waits to hear of a subscription hears that it is one when
///
///   the server agrees, and the stream is     then
///   open                                     at once
///   being opened, or about to be, again      when it is open, or is not to be had; or after the
///                                            request timeout
///   not there, or could not be opened        at once
#include <map>

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
  /// Of a server without sessions: which of what its clients want to hear of it tells is known now,
  /// or may be.
  void watched();
  /// The session's own stream is open, or will not be soon.
  void stream_settled();
  /// The session is lost, and what the server has agreed to with it.
  void lost() { agreed_.clear(); }
  /// What has waited for that stream long enough is none the less agreed to. When to look again.
  session_state::time_point look(session_state::time_point now);
  /// A call to unsubscribe is sent. The client says in which order; answers may come in another.
  void undo_subscriptions(const work& w);

  /// There is a credential by now: what has waited for one is said. Or there is none.
  void say_held();
  void without_credential();

  /// `resources/subscribe`, or the other one, in the name of the session itself; as soon as the
  /// server has answered what it was told of this resource before, and there is a credential.
  void tell(std::string_view method, std::string_view raw_uri, bool renewal = false);
  /// What the server was told by this fetch has been answered on a stream; or the fetch has ended,
  /// or takes too long.
  void answered(std::uint64_t fetch, const jsonrpc::message& m);
  void ended(const pending& p, const fetched& f);
  void late(std::uint64_t fetch, const pending& p);

 private:
  enum class reply : std::uint8_t { agreed, refused, silent };
  void say(std::string_view raw_uri, bool wanted, bool renewal, bool again);
  bool say_again(std::uint64_t fetch, int status);
  void settle(std::uint64_t fetch, reply how);
  void await(std::string uri);
  void settle_awaited(bool agreed);
  bool is_unheard() const;
  void report(std::string uri, bool agreed);

  session_state& s_;
  session_rules& r_;
  said_subscriptions said_;
  /// ROUTER waits to hear whether the server agrees to these; until when for more than its answer.
  std::map<std::string, session_state::time_point, std::less<>> awaited_;
  /// Those of them that it has agreed to, while the stream is not open on which it will tell.
  client_side::uris agreed_;
};

}  // namespace gate::upstream
