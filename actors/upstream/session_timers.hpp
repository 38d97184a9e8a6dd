#pragma once
/// When each session of an UPSTREAM wants to be woken; one timer serves all. Pure; part of
/// UPSTREAM.
#include <caf/fwd.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/interfaces.hpp"

namespace gate::upstream {

class session_timers {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr auto never = time_point::max();

  /// A session that wants nothing yet.
  void add(caf::actor_id who) { wanted_.emplace(who, never); }
  void drop(caf::actor_id who) {
    const auto it = wanted_.find(who);
    if (it == wanted_.end()) return;
    order_.erase({it->second, who});
    wanted_.erase(it);
  }
  /// Instead of the time that it wanted before; a session that has ended since wants none.
  void set(caf::actor_id who, time_point at) {
    const auto it = wanted_.find(who);
    if (it == wanted_.end()) return;
    order_.erase({it->second, who});
    it->second = at;
    order_.emplace(at, who);
  }

  /// For when a timer is to be armed now. Nothing: for none, or an earlier one is armed.
  std::optional<time_point> arm() {
    if (order_.empty() || order_.begin()->first >= armed_) return std::nullopt;
    return armed_ = order_.begin()->first;
  }
  /// The timer that was armed for `at` is here: whose time has come, and which that was, earliest
  /// first. Nobody's, if a timer was armed anew for an earlier time.
  std::vector<std::pair<time_point, caf::actor_id>> due(time_point at, time_point now) {
    std::vector<std::pair<time_point, caf::actor_id>> out;
    if (at != armed_) return out;
    armed_ = never;
    while (!order_.empty() && order_.begin()->first <= now) {
      out.push_back(*order_.begin());
      wanted_.at(order_.begin()->second) = never;
      order_.erase(order_.begin());
    }
    return out;
  }

 private:
  std::unordered_map<caf::actor_id, time_point> wanted_;
  std::set<std::pair<time_point, caf::actor_id>> order_;
  time_point armed_ = never;
};

}  // namespace gate::upstream
