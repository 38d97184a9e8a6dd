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
///   filling, failed      wait only if there is nothing     an upstream that failed is late, too,
///   last time            else to be served                 until it delivers
///
/// An invalidated list is never served again. A fetch that was under way at that moment may be
/// older than the change, so it is made once more; an upstream that announces a change with every
/// fetch gets the second one accepted. An upstream that was late stays late until it delivers: one
/// that hangs delays one list, not every list. One that failed is due to be looked for again, less
/// and less often (`take_due`): its list may be what somebody lacks. Where asking is counted it is
/// not asked then, but missed: whether it answers at all is found out without it.
///
///   missed, and             meanwhile
///   it answers              announced to whoever lacks its list (`take_missed`); missed no longer
///   it is asked             missed no longer
///   announced, and fails    the pauses go on to double beyond `look_again_most`, until it delivers
///   refused by a guard      not due before that is over; still announced, and its pause is not
///                           lengthened beyond `look_again_most`
///
/// A list that comes again as it was changes nothing: its items, what identifies each of them and
/// the version stay.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/federation/item_pool.hpp"
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
    bool hope = false;        ///< the same, of one that failed the last time
    std::uint64_t fill = 0;
  };
  /// What an upstream lists, and what identifies each item.
  struct listing {
    mcp::shared_items items;
    std::vector<std::uint64_t> digests;
    mcp::shared_rest rest;  ///< what it says beside them; null: nothing
    std::size_t bytes = 0;  ///< of the items
    /// Of the tools among them that say how they are to be called, by name.
    std::unordered_map<std::string_view, const mcp::list_item*> annotated{};
  };

  /// Takes memory only for upstreams that it was asked about: many catalogues keep few of all lists
  /// themselves. `pool` null: lists that are equal are not looked for.
  explicit list_cache(std::shared_ptr<item_pool> pool = nullptr) : pool_(std::move(pool)) {}
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
               std::optional<std::chrono::milliseconds> ttl, mcp::shared_rest rest = nullptr);
  /// `refused`: a guard did, so that nothing is known of the upstream.
  taken failed(std::size_t i, std::uint64_t fill, std::string error, time_point now,
               std::shared_ptr<const refusal> refused = nullptr);
  std::uint64_t fill_of(std::size_t i) const { return known(i).fill; }
  /// The upstream said that its list changed.
  void invalidate(std::size_t i);
  /// The upstream may have changed its list unheard: what is there is stale.
  void suspect(std::size_t i);
  /// Upstream `i`'s lists are kept for another time from now on, those that are there too.
  void keep_for(std::size_t i, std::optional<std::chrono::milliseconds> before,
                std::optional<std::chrono::milliseconds> ttl);
  /// A list's deadline passed: nobody waits for those that were asked by then (`since`) and have
  /// not delivered yet; these are returned.
  std::vector<std::size_t> give_up_waiting(time_point since);
  /// Those that failed some time ago and may be looked for again; each is named once a failure.
  std::vector<std::size_t> take_due(time_point now);
  /// Somebody else looks for this one: it is due again after the next pause. `refused`: by a guard,
  /// which lengthens no pause beyond `look_again_most`.
  void put_off(std::size_t i, time_point now, bool refused = false);
  /// The same; and whoever lacks its list is told when it answers.
  void miss(std::size_t i, time_point now);
  /// It answers. True: it was missed, and still has nothing to serve.
  bool take_missed(std::size_t i);
  /// Whoever lacks its list was told to ask for it.
  void announced(std::size_t i) { entries_[i].announced = true; }
  /// Is upstream `i` being asked, whoever waits for it?
  bool asking(std::size_t i) const { return known(i).filling; }
  /// Whoever fetched for the upstream died with that. True: it is `wanted` all the same, and to be
  /// fetched once more, under number `fill_of(i)`; not if that one has died, too.
  bool lost(std::size_t i, time_point now, bool wanted = false);

  /// Is upstream `i` being asked, and has nothing to serve meanwhile?
  bool waits_for(std::size_t i) const;
  /// The same, of one that failed the last time.
  bool hopes_for(std::size_t i) const;
  /// Has upstream `i` neither listed nor failed since it came or its list was invalidated, and is
  /// it not being asked?
  bool unknown(std::size_t i) const;
  /// What upstream `i` has to serve, fresh or not, without asking anybody.
  const mcp::shared_items& items(std::size_t i) const { return known(i).listed.items; }
  const listing& listed(std::size_t i) const { return known(i).listed; }
  /// The upstream's own error object from the last failed fetch, raw; empty if it said none.
  const std::string& error(std::size_t i) const { return known(i).error; }
  /// The guard's refusal that the last fetch failed by; null if it failed otherwise, or another one
  /// has begun since.
  const std::shared_ptr<const refusal>& refused(std::size_t i) const { return known(i).refused; }
  /// Until when upstream `i`'s list is fresh, if nobody invalidates it.
  time_point fresh_until(std::size_t i) const;
  /// Changes whenever what `listed` says changes, but for how long that holds; only ever grows.
  std::uint64_t version() const { return version_; }
  /// The same, whenever that changes.
  std::uint64_t holds() const { return holds_; }
  /// `version`, and whenever what is there may be older than it was said to be.
  std::uint64_t doubts() const { return version_ + doubts_; }
  /// What all items take.
  std::size_t bytes() const { return bytes_; }
  /// Upstreams that it knows something of.
  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr auto never_due = time_point::max();
  struct entry {
    listing listed;
    time_point fresh_until{};  ///< min: stale or empty
    time_point quiet_until{};  ///< after a failure, nobody asks again before this
    bool filling = false;
    bool late = false;                ///< missed a deadline, and has not delivered since
    bool sick = false;                ///< failed, and has not delivered since
    unsigned failures = 0;            ///< in a row
    time_point again_at = never_due;  ///< to be looked for, then
    bool missed = false;              ///< somebody looks whether it answers
    bool announced = false;           ///< since it failed
    bool vain = false;                ///< announced and failed, and has not delivered since
    bool dirty = false;               ///< the list changed while it was fetched
    bool second = false;              ///< this fetch is the repetition
    bool begun_again = false;         ///< whoever fetched it has died once
    std::uint64_t fill = 0;
    time_point asked{};
    std::string error;
    std::shared_ptr<const refusal> refused;
  };
  taken end_in_vain(std::size_t i, std::uint64_t fill, time_point now, bool refused);
  bool take_over(entry& e, mcp::shared_items items, mcp::shared_rest rest);
  bool clear(entry& e);

  /// Of an upstream of which nothing is known.
  const entry& known(std::size_t i) const {
    static const entry none;
    const auto it = entries_.find(i);
    return it == entries_.end() ? none : it->second;
  }

  std::map<std::size_t, entry> entries_;
  std::shared_ptr<item_pool> pool_;
  std::uint64_t next_fill_ = 1;
  std::uint64_t version_ = 0;
  std::uint64_t holds_ = 0;
  std::uint64_t doubts_ = 0;
  std::size_t bytes_ = 0;
  time_point next_due_ = never_due;  ///< no entry's is earlier
};

}  // namespace gate::federation
