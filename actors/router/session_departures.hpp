#pragma once
/// SESSION DEPARTURES: how sessions end for this instance that their clients have not ended: nobody
/// has used them here for long. Others may hold them; the store says so, and whoever is the last
/// ends what upstreams have open. Part of SHARED SESSIONS.
///
///   the store says               what is done
///   somebody else holds it       it is forgotten; upstreams are not told
///   all others are gone          the same, and it is asked again when their time is over
///   there is no record           the same: the store may have lost what others use, who write it
///                                anew; if there is none then either, nobody holds it
///   nobody holds it              it ends at all upstreams
///   nothing                      it is forgotten, and asked again
///
/// And how those end that their clients have ended: the store is told, however often that takes.
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "actors/router/loose_holds.hpp"
#include "actors/sessions/client_session.hpp"

namespace gate::routing {

class shared_sessions;

class session_departures {
 public:
  using names = std::set<std::string, std::less<>>;

  session_departures(unit& u, fleet_line& line, shared_sessions& all);

  /// It is held here no more.
  void leave(sessions::client_session& s);
  /// Its client has ended it: the record says so from now on, for so long. If the store is away,
  /// it is told when it returns, and then these others are.
  void end(const std::string& key, std::chrono::milliseconds known, names others);
  /// The call by which its client did: it is put aside until the store knows it.
  void await_end(const std::string& key, pipeline::fact<pipeline::stage::guard>& c);
  /// It was only looked at.
  void forget(std::string key) { loose_.forget(std::move(key)); }
  /// Every second, and when the store is there again.
  void tell() { loose_.tell(); }

 private:
  struct departed {
    std::uint64_t client;
    sessions::used_upstreams used;
    profile_ptr profile;
    identity::access_ptr who;
    bool missing = false;  ///< there was no record
  };

  void end_later(const std::string& key, std::chrono::milliseconds known, names others);
  void leave_quietly(const departed& d);
  bool is_last(departed d, const std::string& key, const store_told& m);
  void end_at_upstreams(const departed& d, session_bridges open);
  void end_those(const departed& d, const profile_ptr& open);

  unit& unit_;
  fleet_line& line_;
  shared_sessions& all_;
  loose_holds loose_;
  std::unordered_map<std::string, std::uint64_t> ending_;  ///< by key: the question's number
};

}  // namespace gate::routing
