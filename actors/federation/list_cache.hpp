#pragma once
/// The list cache: for one kind of list, what each upstream last said, how long that holds, and
/// whether it is being fetched. Pure rules, `now` as a parameter; ROUTER asks UPSTREAM for what the
/// cache wants and tells it what came.
///
///   state of an entry    asked for it                      meanwhile
///   empty                want: fetch, wait                 -> filling
///   filling, no items    want: wait                        single flight
///   filling and late     nothing                           a deadline passed: nobody waits for it
///   fresh                use                               until its TTL ends or a change is told
///   stale                use, and want: fetch              the old list serves while the new comes
///   failed               nothing                           empty after limits::failed_fill
///
/// An invalidated list is never served again. A fetch that was under way at that moment may be
/// older than the change, so it is made once more; an upstream that announces a change with every
/// fetch gets the second one accepted. An upstream that was late stays late until it delivers: one
/// that hangs delays one list, not every list.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/mcp/list.hpp"
#include "protocol/refusals.hpp"

namespace gate::federation {

using time_point = std::chrono::steady_clock::time_point;

class list_cache {
 public:
  struct look {
    mcp::shared_items items;  ///< null: nothing to serve (yet)
    bool fetch = false;       ///< the caller must ask the upstream now, under number `fill`
    bool wait = false;        ///< an answer is on its way and there is nothing to serve before it
    std::uint64_t fill = 0;
  };

  /// Upstreams have numbers below `slots`.
  explicit list_cache(std::size_t slots) : entries_(slots) {}
  /// There may be higher numbers from now on.
  void make_room(std::size_t slots) {
    if (slots > entries_.size()) entries_.resize(slots);
  }
  /// Upstream `i` is gone; its number may be given to another.
  void forget(std::size_t i);

  /// Asks for upstream `i`'s list. `ttl` empty: nothing is ever kept.
  look ask(std::size_t i, time_point now, std::optional<std::chrono::milliseconds> ttl);
  enum class taken : std::uint8_t {
    unexpected,  ///< nobody waits for it any more
    yes,
    again,  ///< the list changed meanwhile: fetch once more, under number `fill_of(i)`
  };
  /// The fetch `fill` of upstream `i` ended.
  taken filled(std::size_t i, std::uint64_t fill, mcp::shared_items items, time_point now,
               std::optional<std::chrono::milliseconds> ttl);
  taken failed(std::size_t i, std::uint64_t fill, std::string error, time_point now,
               std::shared_ptr<const refusal> refused = nullptr);
  std::uint64_t fill_of(std::size_t i) const { return entries_[i].fill; }
  /// The upstream said that its list changed.
  void invalidate(std::size_t i);
  /// The upstream may have changed its list unheard: what is there is stale.
  void suspect(std::size_t i);
  /// Upstream `i`'s lists are kept for another time from now on, those that are there too.
  void keep_for(std::size_t i, std::optional<std::chrono::milliseconds> before,
                std::optional<std::chrono::milliseconds> ttl);
  /// A list's deadline passed: nobody waits for those that were asked by then (`since`) and have
  /// not delivered yet.
  void give_up_waiting(time_point since);
  /// The upstream died with whatever it was fetching.
  void lost(std::size_t i, time_point now);

  /// Is upstream `i` being asked, and has nothing to serve meanwhile?
  bool waits_for(std::size_t i) const;
  /// What upstream `i` has to serve, fresh or not, without asking anybody.
  const mcp::shared_items& items(std::size_t i) const { return entries_[i].items; }
  /// The upstream's own error object from the last failed fetch, raw; empty if it said none.
  const std::string& error(std::size_t i) const { return entries_[i].error; }
  /// The guard's refusal that the last fetch failed by; null if it failed otherwise, or another one
  /// has begun since.
  const std::shared_ptr<const refusal>& refused(std::size_t i) const { return entries_[i].refused; }
  /// Until when upstream `i`'s list is fresh, if nobody invalidates it.
  time_point fresh_until(std::size_t i) const;
  /// Changes whenever what `items` says changes.
  std::uint64_t version() const { return version_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    mcp::shared_items items;
    time_point fresh_until{};  ///< min: stale or empty
    time_point quiet_until{};  ///< after a failure, nobody asks again before this
    bool filling = false;
    bool late = false;    ///< missed a deadline, and has not delivered since
    bool dirty = false;   ///< the list changed while it was fetched
    bool second = false;  ///< this fetch is the repetition
    std::uint64_t fill = 0;
    time_point asked{};
    std::string error;
    std::shared_ptr<const refusal> refused;
  };
  std::vector<entry> entries_;
  std::uint64_t next_fill_ = 1;
  std::uint64_t version_ = 0;
};

}  // namespace gate::federation
