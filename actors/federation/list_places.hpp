#pragma once
/// PLACES: who has how many of the places for clients that see lists of their own, and how much
/// these take. As long as there is one, everybody gets it. When there is none left, one is freed
/// for whoever would have fewer even then than the one who has most; so that nobody's place is
/// taken back for the sake of the one who lost it. Beyond the bound in bytes the largest lists of
/// whoever has most bytes go, or who can not go at the moment is looked at again; they come again
/// only when they fit. Pure; part of ROUTER.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::federation {

class list_places {
 public:
  explicit list_places(std::size_t most = limits::own_lists,
                       std::size_t most_bytes = limits::own_list_bytes)
      : most_(most), most_bytes_(most_bytes) {}

  bool room() const { return holders_.size() < most_; }
  bool has(std::uint64_t client) const { return holders_.contains(client); }
  /// Does this client of this owner (a principal; all anonymous callers are one) get a place?
  bool open_to(std::uint64_t client, std::uint64_t owner) const {
    return fits(client) && (room() || by_count_.rbegin()->first > count(owner) + 1);
  }
  /// Is it none whose lists had to go for their size, or would they fit by now?
  bool fits(std::uint64_t client) const {
    const auto it = too_large_.find(client);
    return it == too_large_.end() || bytes_ + it->second <= most_bytes_;
  }
  std::size_t count(std::uint64_t owner) const {
    const auto it = counts_.find(owner);
    return it == counts_.end() ? 0 : it->second;
  }
  std::size_t bytes() const { return bytes_; }
  bool too_much() const { return bytes_ > most_bytes_; }

  void enter(std::uint64_t client, std::uint64_t owner) {
    if (!holders_.try_emplace(client, holder{owner, 0}).second) return;
    too_large_.erase(client);
    recount(owner, count(owner) + 1);
  }
  void leave(std::uint64_t client) {
    const auto it = holders_.find(client);
    if (it == holders_.end()) return;
    bytes_ -= it->second.bytes;
    recount(it->second.owner, count(it->second.owner) - 1);
    holders_.erase(it);
  }
  /// Its session has ended.
  void forget(std::uint64_t client) {
    leave(client);
    too_large_.erase(client);
  }

  /// Its lists take so much by now.
  void weigh(std::uint64_t client, std::size_t bytes) {
    const auto it = holders_.find(client);
    if (it == holders_.end()) return;
    bytes_ = bytes_ - it->second.bytes + bytes;
    it->second.bytes = bytes;
  }
  /// All take too much: whose lists have to go, the largest that `can` of the owner who has most;
  /// if none of these can, of who has most after that one. It has left then. Nobody whose owner has
  /// no more than a fair part goes in another's place.
  template <class Can>
  std::optional<std::uint64_t> take_largest(Can can) {
    if (!too_much()) return {};
    std::unordered_map<std::uint64_t, std::size_t> of;
    for (const auto& [client, h] : holders_) of[h.owner] += h.bytes;
    const auto part = most_bytes_ / of.size();
    auto first = holders_.end();
    std::pair<std::size_t, std::size_t> most;  // its owner's bytes, its own
    for (auto it = holders_.begin(); it != holders_.end(); ++it) {
      const std::pair has{of[it->second.owner], it->second.bytes};
      if (has.first <= part || !has.second || has <= most || !can(it->first)) continue;
      first = it;
      most = has;
    }
    if (first == holders_.end()) return {};
    const auto client = first->first;
    too_large_[client] = first->second.bytes;
    leave(client);
    return client;
  }

 private:
  struct holder {
    std::uint64_t owner = 0;
    std::size_t bytes = 0;
  };

  void recount(std::uint64_t owner, std::size_t is) {
    if (const auto at = by_count_.find(count(owner)); at != by_count_.end() && --at->second == 0)
      by_count_.erase(at);
    if (is) {
      ++by_count_[is];
      counts_[owner] = is;
    } else {
      counts_.erase(owner);
    }
  }

  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint64_t, holder> holders_;  ///< by client
  std::unordered_map<std::uint64_t, std::size_t> counts_;
  std::map<std::size_t, std::size_t> by_count_;  ///< so many places: so many owners have
  std::unordered_map<std::uint64_t, std::size_t> too_large_;  ///< clients whose lists had to go
};

}  // namespace gate::federation
