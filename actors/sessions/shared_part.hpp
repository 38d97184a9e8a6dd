#pragma once
/// What makes a client's session one of a fleet's: where its record is, who else holds it, and what
/// of it the store is yet to be told. Plain data; part of a client session, made with a store only.
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gate::sessions {

/// What has changed of a session: each has a field of its own in the record, so that instances
/// which change different things do not undo each other's.
struct session_changes {
  using names = std::set<std::string, std::less<>>;

  bool client = false;  ///< who it is
  bool level = false;
  names bridged{};     ///< upstreams that have another session for it
  names subscribed{};  ///< resources that it is subscribed to, or is not any more

  bool any() const { return client || level || !bridged.empty() || !subscribed.empty(); }
  void add(session_changes more) {
    client = client || more.client;
    level = level || more.level;
    bridged.merge(more.bridged);
    subscribed.merge(more.subscribed);
  }
  /// The first of them, at most so many by name; taken out.
  session_changes take(std::size_t most) {
    session_changes out{std::exchange(client, false), std::exchange(level, false)};
    for (auto [from, to] : {std::pair(&bridged, &out.bridged), {&subscribed, &out.subscribed}})
      for (; most > 0 && !from->empty(); --most) to->insert(from->extract(from->begin()));
    return out;
  }
};

struct shared_part {
  std::string key;  ///< of its record
  /// Other instances that hold it, as far as that is known.
  std::set<std::string, std::less<>> others{};
  session_changes unwritten{};
  /// Upstreams that have opened a session for it here of late, and when.
  std::map<std::string, std::chrono::steady_clock::time_point, std::less<>> opened{};
  std::uint64_t edition = 0;  ///< how often it was changed here
  bool fresh = false;         ///< there is no record: all of it is to be written
  bool due = false;           ///< its record is to be kept for longer
  bool stale = false;         ///< its record is to be read: another instance has changed it
  bool unmet = false;         ///< they may not know any more that it is held here, too
  bool queued = false;        ///< it will be looked at
  std::chrono::steady_clock::time_point renewed{};
};

}  // namespace gate::sessions
