#pragma once
/// Clients that hear of changes on streams of their own requests: `subscriptions/listen` (MCP
/// 2026-07-28 /basic/patterns/subscriptions). What a caller's streams want to hear of is subscribed
/// to by the one session that stands for its stateless requests (`client_session::visits`), once
/// for all of them: the server hears of the first that wants a resource, and of the last that no
/// longer does.
///
///   a stream wants a resource that       it is acknowledged
///   another stream of its caller has     with it, at once
///   nobody has, or that is asked for     when the server has said whether it agrees, and what it
///                                        tells will be heard; without it after the upstream's
///                                        request timeout
///
/// What is updated meanwhile follows the acknowledgement. Part of ROUTER.
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/router/unit.hpp"

namespace gate::routing {

class client_sessions;
class client_streams;
class subscription_upkeep;

class listeners {
 public:
  using which = std::function<bool(const sessions::subscriptions::value_type&)>;

  listeners(unit& u, client_streams& streams, client_sessions& profiles,
            subscription_upkeep& subscriptions)
      : unit_(u), streams_(streams), profiles_(profiles), subscriptions_(subscriptions) {}

  /// It wants to hear of these (a URI, and the number of its upstream), which it may.
  void begin(sessions::client_session& listener,
             const std::vector<std::pair<std::string, std::size_t>>& to);
  /// Its stream has ended.
  void end(sessions::client_session& listener);
  /// It may not hear of these any more.
  void give_up(sessions::client_session& listener, const which& gone);
  /// What stands for their caller is not subscribed to these any more, and its upstreams know.
  void lose(sessions::client_session& caller, const which& gone);
  /// A server has said whether it tells of what it was asked for.
  void on_subscribed(const subscribed& m);
  /// A resource was updated that the caller is subscribed to.
  void on_updated(const client_notification& m, const sessions::client_session& caller,
                  std::string_view uri);
  /// Does its upstream still have to say whether it tells of this?
  bool await(const sessions::client_session& caller, std::string_view uri) const;
  /// Every second.
  void tick(time_point t);

 private:
  bool take(sessions::client_session& listener, const std::string& uri,
            const config::compiled_upstream& at);
  void settle(sessions::client_session& listener);
  void leave(const sessions::client_session& caller, const std::string& upstream,
             const std::vector<std::string>& uris);

  unit& unit_;
  client_streams& streams_;
  client_sessions& profiles_;
  subscription_upkeep& subscriptions_;
  std::set<std::uint64_t> waiting_;  ///< those that are not acknowledged yet
};

}  // namespace gate::routing
