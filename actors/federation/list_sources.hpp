#pragma once
/// Where a catalogue's lists come from, one upstream's each: from its own cache, or from the
/// catalogue that it shares with others. A catalogue of one caller keeps itself what depends on the
/// caller, one of a client what was changed for that client alone, or is seen by its own session;
/// everything else comes from the shared one. Pure; part of ROUTER.
#include <memory>
#include <set>
#include <vector>

#include "actors/federation/list_cache.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::federation {

/// What a catalogue wants fetched: upstream, fill number, and for whose cache.
struct wanted {
  std::size_t upstream = 0;
  std::uint64_t fill = 0;
  bool shared = false;  ///< of the shared catalogue, not of this one
};

class list_sources {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;

  struct options {
    list_sources* shared = nullptr;  ///< outlives this one; null: this is everybody's
    /// Upstreams whose lists depend on the caller are not asked, since there is none.
    bool everybodys = false;
    /// One client's, which sees upstreams with `listsPerClient` by its own session.
    bool clients = false;
  };
  list_sources(snapshot_ptr snapshot, options how, std::shared_ptr<item_pool> pool)
      : snapshot_(std::move(snapshot)), how_(how), cache_(std::move(pool)) {}

  const config::snapshot& snapshot() const { return *snapshot_; }
  const snapshot_ptr& snapshot_handle() const { return snapshot_; }
  /// The federation is another one now; what was cached of upstreams that stay is kept.
  void adopt(snapshot_ptr snapshot);

  /// Where this upstream's list is kept.
  list_cache& cache_of(std::size_t upstream);
  /// One's own.
  list_cache& cache() { return cache_; }
  const list_cache& cache() const { return cache_; }
  /// Is this upstream's list kept here?
  bool keeps(std::size_t upstream) { return &cache_of(upstream) == &cache_; }
  /// Can it be asked without a caller, if there is none?
  bool asks(const config::compiled_upstream& u) const { return !(how_.everybodys && u.per_caller); }

  /// As `list_cache` has them, of all lists; each only ever grows.
  std::uint64_t version() const;
  std::uint64_t holds() const;
  std::uint64_t doubts() const;

  /// From now on this upstream's list is one of this catalogue's own. False: it was before.
  bool own(std::size_t upstream);
  /// It is as everybody's again.
  void share(std::size_t upstream);
  bool owns_any() const { return !own_.empty(); }

  /// What this upstream lists, as far as it is known; null: it is not.
  const list_cache::listing* listed(std::size_t upstream);
  /// Asks for it, where it is kept; a fetch is appended if one is to begin.
  list_cache::look ask(const config::compiled_upstream& u, time_point now,
                       std::vector<wanted>& fetch);
  /// Asks for this upstream's list alone; false: it is on its way.
  bool prepare_one(std::size_t upstream, time_point now, std::vector<wanted>& fetch);
  /// Asks this upstream, whose list is kept here.
  void look_for(std::size_t upstream, time_point now, std::vector<wanted>& fetch);
  /// Is this upstream's first list on its way?
  bool awaits(std::size_t upstream);
  /// The guard's refusal for which this upstream's list is missing; null: it has another reason.
  const std::shared_ptr<const refusal>& refused(std::size_t upstream) {
    return cache_of(upstream).refused(upstream);
  }
  /// Of those whose lists are kept here: who failed a while ago and may be looked for again.
  std::vector<std::size_t> take_due(time_point now) { return cache_.take_due(now); }
  /// Those that were asked by then, and have not delivered yet, are late. They are returned.
  std::vector<std::size_t> give_up_waiting(time_point since);

 private:
  snapshot_ptr snapshot_;
  options how_;
  list_cache cache_;
  std::set<std::size_t> own_;  ///< upstreams that are not taken from the shared one
};

}  // namespace gate::federation
