#pragma once
/// The resources that one client is subscribed to, each at the upstream that was asked, and those
/// that it is about to be subscribed to. Pure; part of CLIENT SESSION.
///
/// Bounds: `limits::session_subscriptions` and `limits::session_subscription_bytes` of both
/// together.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"
#include "protocol/mcp/uri_path.hpp"

namespace gate::sessions {

/// The upstream's id, by URI.
using subscriptions = std::map<std::string, std::string, std::less<>>;

/// Is an update of `uri` of what is below `subscribed`? MCP lets servers tell of parts of what was
/// subscribed to: what goes on behind a `/`, `?` or `#`, unless a server may read it as another
/// place.
inline bool lies_in(std::string_view uri, std::string_view subscribed) {
  if (uri == subscribed) return true;
  if (subscribed.empty() || !uri.starts_with(subscribed) || mcp::has_two_readings(uri))
    return false;
  constexpr std::string_view ends = "/?#";
  return ends.find(uri[subscribed.size()]) != ends.npos ||
         ends.find(subscribed.back()) != ends.npos;
}

/// `f(place)` for `uri` and what it may be a part of, from the inside; true ends it, and is
/// returned.
template <class F>
bool for_each_around(std::string_view uri, F&& f) {
  if (f(uri)) return true;
  constexpr std::string_view ends = "/?#";
  for (auto i = uri.find_last_of(ends); i != uri.npos;
       i = i ? uri.find_last_of(ends, i - 1) : uri.npos)
    if (f(uri.substr(0, i)) || f(uri.substr(0, i + 1))) return true;
  return false;
}

/// Is the client subscribed to this, or to what it is a part of, at this upstream? (Without one: at
/// any.)
inline bool covers(const subscriptions& all, std::string_view uri, std::string_view upstream = {}) {
  const auto at = [&](std::string_view subscribed) {
    const auto it = all.find(subscribed);
    return it != all.end() && (upstream.empty() || it->second == upstream) &&
           lies_in(uri, it->first);
  };
  return !all.empty() && for_each_around(uri, at);
}

/// The bytes of URIs in requests that subscribe and are under way, by ROUTER's number of the call.
using pending_subscriptions = std::map<std::uint64_t, std::size_t>;

/// Can the client be subscribed to this as well?
inline bool room_for(const subscriptions& all, const pending_subscriptions& pending,
                     std::string_view uri) {
  if (all.contains(uri)) return true;
  if (all.size() + pending.size() >= limits::session_subscriptions) return false;
  auto bytes = uri.size();
  for (const auto& [made, upstream] : all) bytes += made.size();
  for (const auto& [call, size] : pending) bytes += size;
  return bytes <= limits::session_subscription_bytes;
}

}  // namespace gate::sessions
