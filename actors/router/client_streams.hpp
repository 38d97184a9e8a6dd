#pragma once
/// The event streams of clients: a session's own, and those that answers of calls have become.
/// What is said on them is kept for a while, so that a client whose connection broke, or that was
/// too slow, can come back for the rest. (MCP 2025-11-25 /basic/transports, Resumability and
/// Redelivery.) Part of ROUTER.
#include <deque>
#include <string_view>

#include "actors/router/unit.hpp"

namespace gate::routing {

class client_sessions;
class list_shelf;
class server_requests;

class client_streams final : public pipeline::stream_desk {
 public:
  client_streams(unit& u, client_sessions& profiles, server_requests& requests, list_shelf& lists)
      : unit_(u), profiles_(profiles), requests_(requests), lists_(lists) {}

  void listen(const sessions::session_ptr& s, exchange_ptr stream) override;
  resumed resume(const sessions::session_ptr& s, std::string_view last_event_id,
                 exchange_ptr stream) override;
  pipeline::session_desk::search seek(pipeline::fact<pipeline::stage::guard>& c) override;
  void finish(pipeline::call& c, std::string_view text) override;

  /// From now on the call's answer is a stream.
  void begin(pipeline::call& c);
  /// A message on the call's own stream, which is opened by the first; false if nobody will hear
  /// it.
  bool send(pipeline::call& c, std::string_view text);
  /// A message on the client's own stream; kept if the client is only away for a moment. False if
  /// it has none.
  bool send(sessions::client_session& s, std::string_view text);
  /// The first message of a stream that stands for `subscriptions/listen`: what it will hear of.
  void acknowledge(sessions::client_session& listener);
  /// What can be told later is held back from a client that is slow or away, so that it is told
  /// once.
  void send_notices(sessions::client_session& s);
  /// `f(session)` for each client that listens, also if it is about to come back.
  void for_each_listener(const std::function<void(sessions::client_session&)>& f) const;

  void listens_elsewhere(sessions::client_session& s);

  /// The call has left.
  void forget(pipeline::call& c);
  /// The exchange with this number is closed.
  void client_gone(std::uint64_t number);
  /// Streams end with the key of the token that they were opened with.
  void end_untrusted(identity::gatekeeper& keeper);
  /// Every second: who is silent is told that somebody is there, who stays away is given up.
  void tick(time_point t, oauth::wall_time wall);
  /// The process is about to end: streams end as soon as nothing of their session runs.
  void wind_down();

 private:
  void attach(const sessions::session_ptr& s, exchange_ptr stream, std::string_view missed);
  void resume_own(const sessions::session_ptr& s, sse::replay::position place, exchange_ptr stream);
  void end_to_return(sessions::client_session& s);
  bool say(sessions::client_session& subscriber, std::string_view text);
  void conclude(sessions::client_session& subscriber);
  void await_return(sessions::client_session& s);
  void keep_alive(time_point t, oauth::wall_time wall);
  void give_up_on_clients(time_point t);
  void give_up_on_requests(pipeline::call& c, time_point t);

  unit& unit_;
  client_sessions& profiles_;
  server_requests& requests_;
  list_shelf& lists_;
  /// Clients whose stream broke, and until when they are waited for; earliest first.
  struct absence {
    std::uint64_t client = 0;
    time_point until;
  };
  std::deque<absence> away_;
  bool winding_down_ = false;
};

}  // namespace gate::routing
