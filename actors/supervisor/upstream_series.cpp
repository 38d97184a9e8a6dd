#include "actors/supervisor/upstream_series.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "actors/guards/balancer_actor.hpp"
#include "actors/upstream/upstream_actor.hpp"

namespace gate::supervisor {

void upstream_series::forget(const config::snapshot& before, const config::snapshot& now) {
  std::unordered_map<std::string_view, const config::compiled_upstream*> by_id;
  for (const auto& u : now.upstreams) by_id.emplace(u.id, &u);
  for (const auto& u : before.upstreams) {
    if (now.at(u.index)) continue;
    const auto at = by_id.find(u.id);
    const auto* successor = at == by_id.end() ? nullptr : at->second;
    forget_gauges(u, successor);
    if (successor) continue;
    if (const auto oldest = retired_.left(u.id)) upstream::forget_counters(*metrics_, *oldest);
  }
}

/// What says how something is must not be said of what is not.
void upstream_series::forget_gauges(const config::compiled_upstream& gone,
                                    const config::compiled_upstream* successor) {
  auto& m = *metrics_;
  if (!successor) {
    m.remove(metric::upstream_breaker_state, {gone.id});
    for (const auto kind : upstream_session_kinds)
      m.remove(metric::upstream_sessions, {gone.id, kind});
  }
  if (gone.endpoints.size() < 2) return;
  const bool balanced = successor && successor->endpoints.size() > 1;
  const auto kept = balanced ? guards::endpoint_names(*successor) : std::vector<std::string>{};
  for (const auto& name : guards::endpoint_names(gone))
    if (std::ranges::find(kept, name) == kept.end())
      m.remove(metric::upstream_endpoint_healthy, {gone.id, name});
}

}  // namespace gate::supervisor
