#include "actors/router/departures.hpp"

#include <algorithm>

namespace gate::routing {

using namespace pipeline;

void departures::tick() {
  if (all_.empty()) return;
  auto oldest = unit_.snapshot->generation;
  unit_.calls.for_each([&](const call& c) {
    if (c.route != route::upstream) oldest = std::min(oldest, c.snapshot->generation);
  });
  std::erase_if(all_, [&](const departure& d) {
    if (oldest < d.generation) return false;
    unit_.partners.left(d.upstream);
    return true;
  });
}

}  // namespace gate::routing
