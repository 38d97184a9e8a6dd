#pragma once
/// SHARED SESSIONS: the sessions of clients that a fleet has in common (docs/decisions/0025): they
/// are written down in the store, looked for there when a client comes with one that is not known
/// here, and what happens to one is told to the other instances that hold it. Part of ROUTER, of a
/// gateway with a store.
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/router/session_departures.hpp"
#include "actors/router/session_records.hpp"
#include "actors/router/session_search.hpp"
#include "actors/router/shared_words.hpp"

namespace gate::routing {

class shared_sessions {
 public:
  shared_sessions(unit& u, const fleet_settings& with, random_source random, fleet_peers peers,
                  labelled<adoption> counts);
  shared_sessions(const shared_sessions&) = delete;
  shared_sessions& operator=(const shared_sessions&) = delete;

  /// What the store says goes there.
  fleet_line& line() { return line_; }

  /// For sessions that are not known here.
  session_search& looks() { return looks_; }
  shared_words& words() { return words_; }
  session_departures& departures() { return departures_; }
  bool holds(const std::string& key) const { return by_key_.contains(key); }
  /// As `pipeline::session_desk` says.
  bool share(pipeline::fact<pipeline::stage::guard>& c);
  /// It is the fleet's from now on; what upstreams have open for it, and who else holds it.
  void begin(sessions::client_session& s, session_bridges bridges = {},
             std::set<std::string, std::less<>> others = {});
  /// Of one that was taken up: the others are told.
  void join(sessions::client_session& s);
  /// Who has not said within this time that it holds a session does not any more.
  std::chrono::seconds alive() const { return records_.alive(); }

  // What happens here to one that is shared.
  void level_changed(sessions::client_session& s);
  /// It is subscribed to this, or is not any more.
  void subscriptions_changed(sessions::client_session& s, std::string_view uri);
  /// Its client has ended it, or must have another: it is nobody's any more.
  void ended(sessions::client_session& s);
  /// Nobody has used it here for long: its upstreams are told, if nobody uses it elsewhere.
  void leave(sessions::client_session& s);
  /// Its client listens here: its upstreams are to be heard by it.
  void listens(sessions::client_session& s);
  void on_bridge(const bridge_opened& m);

  // What is known of others.
  /// It has ended elsewhere.
  void end_here(const sessions::session_ptr& s);
  /// Its record says so, but for what is yet to be written.
  void be_as(sessions::client_session& s, fleet::found_session found);
  /// They hold it, and nobody else does.
  void meet(sessions::client_session& s, fleet::instances holders);

  void on_heard(const store_heard& m);
  void on_timer() { records_.on_timer(); }
  void tick(time_point t);

 private:
  bool share_later(pipeline::fact<pipeline::stage::guard>& c);
  void tell_opened(sessions::client_session& s, const std::string& to);
  std::uint64_t write_first(sessions::client_session& s);
  void set_bridge(sessions::client_session& s, const std::string& upstream, fleet::bridge b);
  void hear(const sessions::session_ptr& s, const std::string& from, const fleet::session_word& w);
  void hear_upstream(sessions::client_session& s, const std::string& id);
  void hear_bridge(sessions::client_session& s, const std::string& upstream, fleet::bridge b);
  sessions::session_ptr find(const std::string& key) const;
  /// Nobody is heard there: an instance that is gone, or cut off.
  void miss(const std::string& name, const std::string& key);

  unit& unit_;
  fleet_peers peers_;
  fleet_line line_;
  shared_words words_;
  session_records records_;
  session_search looks_;
  session_departures departures_;
  std::unordered_map<std::string, std::uint64_t>
      by_key_;  ///< clients, by the keys of their records
};

}  // namespace gate::routing
