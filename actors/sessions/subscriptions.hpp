#pragma once
/// The resources that one client is subscribed to, each at the upstream that was asked. Pure; part
/// of CLIENT SESSION.
#include <functional>
#include <map>
#include <string>
#include <string_view>

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

/// Is the client subscribed to this, or to what it is a part of, at this upstream?
inline bool covers(const subscriptions& all, std::string_view uri, std::string_view upstream) {
  const auto at = [&](std::string_view subscribed) {
    const auto it = all.find(subscribed);
    return it != all.end() && it->second == upstream && lies_in(uri, it->first);
  };
  if (all.empty()) return false;
  if (at(uri)) return true;
  constexpr std::string_view ends = "/?#";
  for (auto i = uri.find_last_of(ends); i != uri.npos;
       i = i ? uri.find_last_of(ends, i - 1) : uri.npos)
    if (at(uri.substr(0, i)) || at(uri.substr(0, i + 1))) return true;
  return false;
}

}  // namespace gate::sessions
