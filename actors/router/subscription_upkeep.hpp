#pragma once
/// What clients are subscribed to, and which resources results have named to them. ROUTER knows at
/// which upstream; the bridged session there tells the server. A subscription lasts as long as the
/// right to make it, and outlives what it was made in:
///
///   what they were made in                what is done
///   the bridged session lost its server   the session itself subscribes again
///   the bridged session crashed           at the next tick the client gets another one; what dies
///                                         of its subscriptions does so ever more rarely
///                                         (actors/sessions/renewals.hpp)
///   UPSTREAM crashed                      as soon as its successor runs, for all clients
///   the upstream has changed              its successor subscribes; what it has no longer is
///                                         forgotten
///
/// Part of ROUTER.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/router/listeners.hpp"
#include "actors/router/unit.hpp"
#include "actors/sessions/renewals.hpp"

namespace gate::routing {

class client_streams;
class introductions;

/// A resource as its upstream calls it; raw.
std::string quoted_own(const config::compiled_upstream& u, std::string_view uri);

class subscription_upkeep {
 public:
  subscription_upkeep(unit& u, client_streams& streams, listeners& listening,
                      const introductions& met)
      : unit_(u), streams_(streams), listeners_(listening), met_(met) {}

  /// An upstream's result came.
  void note_result(pipeline::call& c);
  /// Its bridged session at this upstream is to subscribe to these, and is opened for it.
  void subscribe(sessions::client_session& s, const config::compiled_upstream& at,
                 const std::vector<std::string>& uris);
  /// May it be subscribed to this?
  bool allowed(const sessions::client_session& s, std::size_t upstream, std::string_view uri) const;
  /// `resources/updated`: for the client, if it is subscribed to it, at this upstream, and may be.
  void on_updated(client_notification& m, sessions::client_session& s);
  /// The client may do less than before, or other things.
  void judge(sessions::client_session& s);
  /// It may do nothing at this upstream any more, or what stands for it there ends.
  void leave(sessions::client_session& s, const std::string& upstream);
  /// After a reload: what was subscribed to at an upstream that has changed is subscribed to at its
  /// successor.
  void move(const config::snapshot& before);
  /// This upstream has forgotten all clients, or this one.
  void lost(std::size_t upstream);
  void lost(const sessions::client_session& s, std::size_t upstream);
  /// Makes those again that are due.
  void renew();

 private:
  void note_subscription(const pipeline::call& c);
  void end(sessions::client_session& s, const listeners::which& gone);
  bool awaits_update(const sessions::client_session& s, std::size_t upstream,
                     std::string_view uri) const;
  void give_up(sessions::client_session& s, std::size_t upstream, const std::string& uri);

  unit& unit_;
  client_streams& streams_;
  listeners& listeners_;
  const introductions& met_;
  /// Clients that are subscribed to something at an upstream which does not know it any more.
  sessions::renewals unsubscribed_;
};

}  // namespace gate::routing
