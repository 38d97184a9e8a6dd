#pragma once
/// CLIENT SESSION: what the gateway remembers about one downstream MCP session, and the table of
/// all of them on one unit. Plain data of the unit's ROUTER; time is a parameter.
#include <bitset>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/messages.hpp"
#include "actors/sessions/named_uris.hpp"
#include "actors/sessions/notices.hpp"
#include "actors/sessions/shared_part.hpp"
#include "actors/sessions/shares.hpp"
#include "actors/sessions/subscriptions.hpp"
#include "actors/sessions/used_upstreams.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/mcp/stateless/listen.hpp"
#include "protocol/sse/replay.hpp"
#include "transport/interfaces.hpp"

namespace gate::sessions {

using time_point = std::chrono::steady_clock::time_point;

struct client_session {
  explicit client_session(std::shared_ptr<sse::replay_pool> kept) : replay(std::move(kept)) {}

  std::string id;
  std::uint64_t key = 0;        ///< short name, unique on the unit; upstreams know the client by it
  std::string_view version;     ///< negotiated revision, of static storage
  std::uint64_t principal = 0;  ///< `oauth::principal::key` of its owner; 0: anonymous
  identity::access_ptr access;  ///< of its owner's latest token; never null
  time_point last_seen;
  time_point shown;                      ///< when its owner last showed a token
  mcp::capability_profile lists_as = 0;  ///< which lists it sees
  /// Kinds of lists that it has asked for.
  std::bitset<mcp::kept_list_kinds> listed;
  /// A server has changed its lists for this client alone: it sees lists of its own.
  bool own_lists = false;
  sessions::subscriptions subscriptions;
  std::unique_ptr<named_uris> named;  ///< null: no result has named a resource
  used_upstreams upstreams;           ///< where it may have a bridged session
  profile_ptr profile;                ///< what upstream sessions are told of it; never null
  exchange_ptr stream;                ///< the GET stream, if one is open
  time_point stream_written{};
  std::optional<time_point> away_until;  ///< its stream broke; so long it is taken to come back
  sse::replay replay;                    ///< of all its streams
  sessions::notices notices;             ///< that wait until it takes them
  /// It stands for one `subscriptions/listen`, and ends with its stream. Null: it does not.
  struct listener {
    mcp::stateless::listen_filter honoured;
    std::string raw_id;  ///< of that request
    /// What stands for its caller at upstreams, and hears for it; never null.
    std::shared_ptr<client_session> caller;
    /// Of `subscriptions`: whether the server agrees is not known yet; and how long it has to say.
    std::set<std::string, std::less<>> awaited{};
    time_point until{};
    bool acknowledged = false;
  };
  std::unique_ptr<listener> subscriber;
  /// It stands for stateless requests of one caller. Null: it does not.
  struct visitor {
    std::vector<std::uint64_t> listeners;  ///< that hear by it
    /// How many of these want what it is subscribed to.
    std::map<std::string, std::size_t, std::less<>> wanted;
    /// Of this, whether the server agrees is not known yet.
    std::set<std::string, std::less<>> unanswered;
  };
  std::unique_ptr<visitor> visits;
  std::unique_ptr<shared_part> shared;  ///< null: it is this instance's alone
  std::string trace_name;               ///< a digest of its id, for spans; empty: not made yet

  /// Requests in flight: the raw id (`1` and `"1"` differ) and the ROUTER's number of the call.
  /// A handful at a time, so a vector beats a map.
  std::vector<std::pair<std::string, std::uint64_t>> calls;

  /// A request of an upstream that this client has yet to answer.
  struct question {
    std::uint64_t id = 0;  ///< ours, towards the client
    std::uint64_t call = 0;
    std::size_t upstream = 0;
    std::uint64_t session = 0;  ///< the upstream session that asked
    std::string upstream_id;    ///< raw; the upstream's own
    time_point since;
    std::string token;          ///< of the upstream's progress, raw; empty: it wants none
    std::string_view method{};  ///< what is asked, of static storage; "other": something unknown
  };
  std::vector<question> questions;
  std::uint64_t next_question = 1;

  std::optional<std::uint64_t> find_call(std::string_view raw_id) const;
  void add_call(std::string_view raw_id, std::uint64_t number) {
    calls.emplace_back(raw_id, number);
  }
  /// Forgets the call; returns what was asked within it and is still open.
  std::vector<question> remove_call(std::uint64_t number);
  /// The question with this id (raw, as the client wrote it), taken out.
  std::optional<question> take_question(std::string_view raw_id);
  /// Alive by itself: a stream is open, or a call runs, or somebody hears by it.
  bool busy() const {
    return !calls.empty() || (stream && stream->alive()) || (visits && !visits->listeners.empty());
  }
  /// Whose lists it sees, where they are one client's own: of what has no session, its caller's.
  std::uint64_t lists_of() const { return subscriber ? subscriber->caller->key : key; }
  /// Can it be ended for the sake of another? Not if it is only away for a moment.
  bool idle() const { return !busy() && !away_until; }
  /// Those subscriptions are no more, nor what waits to be told because of them.
  void end_subscriptions(
      const std::function<bool(const sessions::subscriptions::value_type&)>& which);
  void end_subscription(std::string_view uri);

  shares::place place;                          ///< the table's
  std::list<client_session*>::iterator in_use;  ///< the table's
  pending_subscriptions subscribing;

 private:
  void drop_updates_of(const sessions::subscriptions& gone);
};
using session_ptr = std::shared_ptr<client_session>;

class session_table {
 public:
  /// Where the short names begin: a table that takes the place of one that was lost must not use
  /// its names again.
  void name_from(std::uint64_t first) { next_key_ = first; }
  /// Null when there is no room for one more of this owner (`shares`). `peer`: where it is.
  session_ptr open(std::string id, const identity::access_ptr& owner, std::string_view peer,
                   time_point now);
  /// The session that is to end so that this owner can have one more; null: none has to, or none
  /// can.
  session_ptr in_the_way(const identity::access_ptr& owner, std::string_view peer);
  /// Finds the session and counts as a sign of life; from now on its access is this one. A session
  /// of another principal (issuer and subject) is not there. `before`: what its owner saw until
  /// now; left alone if the access is what it was.
  session_ptr find(std::string_view id, const identity::access_ptr& who, time_point now,
                   config::view_ptr& before);
  session_ptr find_key(std::uint64_t key) const;
  /// Whoever's it is.
  bool knows(std::string_view id) const { return by_id_.find(id) != by_id_.end(); }
  /// A sign of life of another kind: something of it was under way until now.
  void touch(client_session& s, time_point now);
  void close(const session_ptr& s);
  /// Removes and returns sessions idle since `before`, so many at most; busy ones are kept and
  /// refreshed.
  std::vector<session_ptr> expire(time_point before, time_point now, std::size_t most);
  /// Are there sessions that were not heard of since then?
  bool due(time_point before) const {
    return !by_use_.empty() && by_use_.front()->last_seen <= before;
  }
  /// Of the streams of all.
  void forget_events(time_point before) { kept_->forget_before(before); }
  std::size_t size() const { return by_id_.size(); }

  /// Makes `stream` the session's GET stream; one that is open already ends.
  void attach(const session_ptr& s, exchange_ptr stream, time_point now);
  /// The client closed the exchange with this number; if it was a stream, it is forgotten, and its
  /// session returned.
  session_ptr stream_gone(std::uint64_t number);
  void end_stream(client_session& s);
  void end_streams();
  /// `f(session)` for each session with a stream; must not attach any, nor end others.
  void for_each_stream(const std::function<void(client_session&)>& f) const;
  /// `f(session)` for each; must not open or close any.
  void for_each(const std::function<void(const session_ptr&)>& f) const {
    for (const auto& [key, s] : by_key_) f(s);
  }
  /// `f(session)` for each that was heard of since then; must not open or close any, nor be a sign
  /// of life.
  void for_each_used(time_point since, const std::function<void(client_session&)>& f) const {
    for (auto it = by_use_.rbegin(); it != by_use_.rend() && (*it)->last_seen >= since; ++it)
      f(**it);
  }
  /// What results have named to this client.
  named_uris& named_to(client_session& s) {
    if (!s.named) s.named = std::make_unique<named_uris>(named_);
    return *s.named;
  }
  /// By which views the sessions of this principal (not 0) see the lists of this profile.
  std::vector<config::view_ptr> views_of(std::uint64_t principal, mcp::capability_profile as) const;
  /// The profiles that sessions have.
  std::bitset<mcp::capability_profiles> profiles() const;

 private:
  /// Of all replays. Sessions may live a little longer than the table, in calls.
  std::shared_ptr<sse::replay_pool> kept_ = std::make_shared<sse::replay_pool>();
  std::shared_ptr<named_pool> named_ = std::make_shared<named_pool>();
  shares shares_{limits::client_sessions, limits::client_sessions_each};
  std::list<client_session*> by_use_;  ///< longest unheard of first
  std::unordered_map<std::string, session_ptr, config::text_hash, std::equal_to<>> by_id_;
  std::unordered_map<std::uint64_t, session_ptr> by_key_;
  std::unordered_map<std::uint64_t, session_ptr> by_stream_;          ///< by the exchange's number
  std::set<std::pair<std::uint64_t, client_session*>> by_principal_;  ///< without anonymous ones
  std::uint64_t next_key_ = 1;
  profile_ptr plain_ = std::make_shared<const client_profile>();  ///< shared by those without
};

}  // namespace gate::sessions
