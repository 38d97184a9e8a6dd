#pragma once
/// The tokens that authorization servers gave for one upstream: who waits for which, which are good
/// and until when. One question at a time for each identity; bounded, the least recently used is
/// forgotten first. Pure; part of CREDENTIALS.
///
///   entry        wanted             answer good        answer bad          refused by the upstream
///   none         ask; wait          -                  -                   -
///   asking       wait               good, tell all     failed, tell all    -
///   good         tell               -                  -                   none, or failed
///   failed       tell, no           -                  -                   -
///
/// Good ones become none at their time, failed ones after `limits::failed_token`.
#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::upstream {

template <class Waiter>
class credential_cache {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class found : std::uint8_t { good, failed, wait, ask };

  explicit credential_cache(std::size_t most = limits::exchanged_tokens) : most_(most) {}

  /// With `good`, `line` and `until` are set. With `wait` and `ask`, `who` waits from now on.
  found want(std::uint64_t identity, Waiter who, time_point now, std::string& line,
             time_point& until) {
    auto it = entries_.find(identity);
    if (it != entries_.end()) {
      auto& e = it->second;
      if (e.asking) {
        e.waiting.push_back(std::move(who));
        return found::wait;
      }
      if (now < e.until) {
        order_.splice(order_.end(), order_, e.place);
        line = e.line;
        until = e.until;
        return e.line.empty() ? found::failed : found::good;
      }
      order_.splice(order_.end(), order_, e.place);
      e.asking = true;
      e.waiting.push_back(std::move(who));
      return found::ask;
    }
    make_room();
    auto& e = entries_[identity];
    e.asking = true;
    e.place = order_.insert(order_.end(), identity);
    e.waiting.push_back(std::move(who));
    return found::ask;
  }

  /// The question was answered; `line` empty: with no. Returns those who waited.
  std::vector<Waiter> answered(std::uint64_t identity, std::string line, time_point until) {
    auto it = entries_.find(identity);
    if (it == entries_.end() || !it->second.asking) return {};
    auto& e = it->second;
    e.asking = false;
    e.line = std::move(line);
    e.until = until;
    return std::exchange(e.waiting, {});
  }

  /// The upstream does not take it (unless it was replaced meanwhile). The next one is asked for;
  /// but if this one took the place of a refused one a moment ago, it would not be better.
  void refused(std::uint64_t identity, std::string_view line, time_point now) {
    auto it = entries_.find(identity);
    if (it == entries_.end() || it->second.asking || it->second.line != line) return;
    auto& e = it->second;
    e.line.clear();
    e.until = now;
    if (e.renewed && now < *e.renewed + limits::credential_renewal)
      e.until = *e.renewed + limits::credential_renewal;
    else
      e.renewed = now;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    bool asking = false;
    std::string line;
    time_point until{};
    std::optional<time_point> renewed;  ///< when it was last replaced because it was refused
    std::vector<Waiter> waiting;
    std::list<std::uint64_t>::iterator place;
  };
  using entries = std::unordered_map<std::uint64_t, entry>;

  void forget(typename entries::iterator it) {
    order_.erase(it->second.place);
    entries_.erase(it);
  }
  void make_room() {
    // Those that are being asked for are few: each has somebody who waits.
    for (auto at = order_.begin(); entries_.size() >= most_ && at != order_.end();) {
      auto it = entries_.find(*at++);
      if (!it->second.asking) forget(it);
    }
  }

  std::size_t most_;
  entries entries_;
  std::list<std::uint64_t> order_;  ///< least recently used first
};

}  // namespace gate::upstream
