#pragma once
/// SESSION SEARCH: a client comes with a session that is not known here. The store is looked into,
/// once for all who come with it; its owner goes on with it, and whoever else comes hears what he
/// would of one that does not exist. Part of ROUTER, of a gateway with a store.
///
/// An instance that does not know the fleet's key yet, since it has just started, asks for that
/// first; whoever comes meanwhile waits, or is to come again (`fleet_line`).
///
///   the store says          the call
///   nothing, or broken      404; so are those of the next moment
///   another's               404
///   its caller's            goes on, in a session made from the record
///   not in time             503: its client is to come again
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actors/router/fleet_line.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class client_sessions;
class client_streams;
class server_requests;
class shared_sessions;
class subscription_upkeep;

/// The parts of ROUTER that those of a fleet turn to.
struct fleet_peers {
  client_sessions& sessions;
  client_streams& streams;
  server_requests& requests;
  subscription_upkeep& subscriptions;
};

/// Ids that are in no record, for a moment.
class unknown_ids {
 public:
  bool contains(const std::string& id, time_point now);
  void add(const std::string& id, time_point now);

 private:
  std::unordered_set<std::string> all_;
  std::deque<std::pair<time_point, std::string>> in_order_;
};

class session_search {
 public:
  using search = pipeline::session_desk::search;

  session_search(unit& u, fleet_line& line, shared_sessions& all, fleet_peers peers,
                 labelled<adoption> counts)
      : unit_(u), line_(line), all_(all), peers_(peers), counts_(std::move(counts)) {}

  /// As `pipeline::session_desk` says.
  search seek(pipeline::fact<pipeline::stage::rate_limit>& c);
  /// The session with this key is being looked for: it may be held here in a moment.
  bool seeks(const std::string& key) const { return sought_.contains(key); }
  /// As `fleet_line` says, and in time.
  bool await_key(std::function<void(bool)> then);
  void key_is_late() { line_.give_up(); }

 private:
  search wait_for_key(pipeline::fact<pipeline::stage::rate_limit>& c);
  void on_found(const std::string& id, const std::string& key, const store_told& m);
  void refuse(std::uint64_t number);
  adoption take_up(const std::vector<std::uint64_t>& waiting, const std::string& id,
                   fleet::found_session found);
  bool owns(pipeline::call& c, const fleet::session_record& r) const;
  void fill(sessions::client_session& s, fleet::found_session found);
  void subscribe_again(sessions::client_session& s);

  unit& unit_;
  fleet_line& line_;
  shared_sessions& all_;
  fleet_peers peers_;
  labelled<adoption> counts_;
  std::unordered_map<std::string, std::uint64_t> sought_;  ///< by key: the look's number
  unknown_ids unknown_;
};

}  // namespace gate::routing
