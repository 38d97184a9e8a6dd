#pragma once
/// Which kinds of clients (capability profiles) are alive: each costs root sessions and lists at
/// every upstream, so there are at most `limits::client_profiles` at a time. A client of a further
/// kind is taken for one of those that are alive and can do nothing that it can not: it is never
/// shown what it could not answer. The kind that can do nothing is always alive. Pure; part of
/// ROUTER.
#include <bit>
#include <bitset>
#include <chrono>
#include <map>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/mcp/capability_profile.hpp"

namespace gate::federation {

class profile_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The kind that a client which can do this belongs to.
  mcp::capability_profile admit(mcp::capability_profile able, time_point now) {
    if (able == 0) return 0;
    if (!alive_.contains(able) && alive_.size() + 1 >= limits::client_profiles) able = below(able);
    if (able) alive_[able] = now;
    return able;
  }
  /// Removes and returns the kinds that no client has had for `idle`; `used`: those that some have.
  std::vector<mcp::capability_profile> expire(const std::bitset<mcp::capability_profiles>& used,
                                              time_point now, std::chrono::seconds idle) {
    std::vector<mcp::capability_profile> out;
    for (auto it = alive_.begin(); it != alive_.end();) {
      if (used[it->first]) it->second = now;
      if (now - it->second < idle) {
        ++it;
        continue;
      }
      out.push_back(it->first);
      it = alive_.erase(it);
    }
    return out;
  }

 private:
  /// The largest that is alive within this one.
  mcp::capability_profile below(mcp::capability_profile able) const {
    mcp::capability_profile best = 0;
    for (const auto& [p, since] : alive_)
      if ((p & ~able) == 0 && std::popcount(p) > std::popcount(best)) best = p;
    return best;
  }

  std::map<mcp::capability_profile, time_point> alive_;
};

}  // namespace gate::federation
