#pragma once
/// SHARES: who holds how many places of a table that is everybody's, and which place is freed when
/// there is none left. No owner holds more than its share; who wants one more gives up its own
/// longest idle one for it. When the table is full, the longest idle one of whoever has most goes
/// first (of several who have as many: of the one that was not heard of for longest). Pure; part of
/// the session table.
///
///   the owner has    the table is    one more needs
///   its share        -               its own longest idle place
///   less             not full        nothing
///   less             full            the longest idle place of whoever has most
///
/// All is done in constant time, but for places in use that stand in the way: of these no more than
/// `limits::session_looks` are looked at (`limits::session_looks_each` of one holder, if those of
/// others could go), and they count as used just now.
#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "config/text_hash.hpp"
#include "protocol/limits.hpp"

namespace gate::sessions {

class shares {
  struct holder;

 public:
  /// What a session keeps of its place. Not to be moved while it is in the table.
  class place {
   public:
    std::uint64_t session = 0;  ///< whose place it is
    bool held() const { return of_; }

   private:
    friend class shares;
    holder* of_ = nullptr;  ///< null: it is not in the table
    std::list<place*>::iterator at_;
  };

  shares(std::size_t places, std::size_t each) : places_(places), each_(each) {}

  bool room_for(std::string_view owner) const { return taken_ < places_ && count(owner) < each_; }
  /// There must be room.
  void enter(place& p, std::string_view owner);
  void used(place& p);
  void leave(place& p);

  /// The place to be freed so that this owner can enter; null: none has to be, or none can be.
  /// `idle(place)` says whether it can.
  template <class Idle>
  const place* in_the_way(std::string_view owner, Idle idle) {
    std::size_t looks = limits::session_looks;
    const auto it = holders_.find(owner);
    if (it != holders_.end() && it->second.places.size() >= each_)
      return longest_idle(it->second, idle, looks);
    if (taken_ < places_) return nullptr;
    for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank)
      for (auto* h : rank->second) {
        // Not all looks for one: who uses all its places must not stand before those who do not.
        const auto each = std::min(looks, limits::session_looks_each);
        auto left = each;
        if (const auto* p = longest_idle(*h, idle, left)) return p;
        looks -= each - left;
        if (looks == 0) return nullptr;
      }
    return nullptr;
  }

  std::size_t taken() const { return taken_; }
  std::size_t count(std::string_view owner) const {
    const auto it = holders_.find(owner);
    return it == holders_.end() ? 0 : it->second.places.size();
  }

 private:
  using rank = std::list<holder*>;  ///< all who have as many, longest unheard of first
  struct holder {
    std::string_view name;
    std::list<place*> places;  ///< longest idle first
    rank* in = nullptr;
    rank::iterator at;
  };

  /// Into the rank of those who have as many as it has now.
  void place_in_rank(holder& h);
  void leave_rank(holder& h);

  template <class Idle>
  static const place* longest_idle(holder& h, Idle& idle, std::size_t& looks) {
    for (auto n = h.places.size(); n > 0 && looks > 0; --n, --looks) {
      const auto* first = h.places.front();
      if (idle(*first)) return first;
      h.places.splice(h.places.end(), h.places, h.places.begin());
    }
    return nullptr;
  }

  std::size_t places_, each_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, holder, config::text_hash, std::equal_to<>> holders_;
  std::map<std::size_t, rank> ranks_;  ///< by the number of places
};

}  // namespace gate::sessions
