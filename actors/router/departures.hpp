#pragma once
/// Upstreams that the configuration no longer has. GATEWAY ends one when nobody here can ask it any
/// more: calls that it works for already are finished, and those of older snapshots may yet find
/// that they are for it. Part of ROUTER.
#include <vector>

#include "actors/router/unit.hpp"

namespace gate::routing {

class departures {
 public:
  explicit departures(unit& u) : unit_(u) {}
  /// The snapshot of the moment is the first without it.
  void add(std::size_t upstream) { all_.push_back({upstream, unit_.snapshot->generation}); }
  void tick();

 private:
  unit& unit_;
  struct departure {
    std::size_t upstream = 0;
    std::uint64_t generation = 0;
  };
  std::vector<departure> all_;
};

}  // namespace gate::routing
