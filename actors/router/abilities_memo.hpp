#pragma once
/// What `initialize` tells callers of one kind (policy view) about the federation, as long as it
/// holds: to make it up costs a look at every upstream, and sessions are opened far more often than
/// upstreams change. Pure; time is a parameter; part of ROUTER.
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

#include "actors/pipeline/desk.hpp"
#include "protocol/limits.hpp"

namespace gate {

class abilities_memo {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// Generation of the snapshot, number of the view.
  using key = std::pair<std::uint64_t, std::uint64_t>;

  /// Null: it has to be made up.
  const pipeline::federation_abilities* find(key k, time_point now) const {
    const auto it = told_.find(k);
    return it == told_.end() || it->second.until <= now ? nullptr : &it->second.what;
  }
  void keep(key k, pipeline::federation_abilities what, time_point until) {
    if (told_.size() >= limits::told_abilities && !told_.contains(k)) told_.clear();
    told_.insert_or_assign(k, entry{std::move(what), until});
  }
  /// Something that they tell of has changed.
  void forget() { told_.clear(); }

 private:
  struct entry {
    pipeline::federation_abilities what;
    time_point until;
  };
  std::map<key, entry> told_;
};

}  // namespace gate
