#pragma once
/// Who runs, by handle: what GATEWAY was given to begin with, and the actors that it has spawned,
/// but for those of upstreams (upstream_slots.hpp). A null handle is of one that crashed and whose
/// successor does not run yet, or that the configuration does not want. Plain data; part of
/// GATEWAY.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/audit/places.hpp"
#include "actors/identity/sources.hpp"
#include "actors/interfaces.hpp"
#include "actors/supervisor/children.hpp"
#include "protocol/limits.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/task_units.hpp"

namespace gate::supervisor {

/// The doors of one unit, whoever made them.
struct unit_parts {
  caf::execution_unit* unit = nullptr;
  ingress_handle ingress;
  egress_handle egress;
  task_units_ptr tasks{};
  store_handle store{};              ///< null: nothing is shared
  audit_recorder_handle recorder{};  ///< null: nothing is recorded
  threshold_handle threshold{};      ///< null: nothing stands before ROUTER
};

struct gateway_parts {
  snapshot_ptr snapshot;
  std::vector<unit_parts> units;
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
  random_source random;
  secret_source secrets;
  identity::authority_ptr authority;  ///< of the snapshot's section `auth`
  std::vector<audits::place> places;  ///< of audit events; none: they are not made
  /// What a fleet's sessions are sealed by; nothing: by what its store keeps.
  std::optional<std::string> fleet_secret{};
  std::uint32_t store_database = 0;  ///< of a store: channels are not its alone
  /// Reads the operator's document again, as text. Empty: there is nothing to read again.
  std::function<result<std::string>()> read_config;
  /// LOADER and HEALTH get a thread of their own. (Not in virtual time.)
  bool load_apart = false;
  /// What lists of clients' own may take on a unit.
  std::size_t own_list_bytes = limits::own_list_bytes;
  /// Told once everything has ended.
  std::function<void()> stopped;
};

struct staff {
  std::vector<router_handle> routers;        ///< by unit
  std::vector<threshold_handle> thresholds;  ///< by unit; null: nothing stands before its ROUTER
  audit_handle audit;
  std::vector<sink_handle> sinks;  ///< by place
  traces_handle traces;            ///< null: none is wanted, too
  activity_handle activity;
  health_handle health;
  tasks_handle tasks;
  once_handle once;
  mint_handle mint;
  rate_limiter_handle limiter;
  budget_handle budget;
  loader_handle loader;
  discovery_handle discovery;
  std::vector<keys_handle> keys;  ///< by source
};

/// Where the handle of one is. (Those of upstreams are in their slots.)
template <role R>
auto& place(staff& s, const child& who) {
  if constexpr (R == role::audit) return s.audit;
  if constexpr (R == role::sink) return s.sinks[who.index];
  if constexpr (R == role::traces) return s.traces;
  if constexpr (R == role::activity) return s.activity;
  if constexpr (R == role::health) return s.health;
  if constexpr (R == role::tasks) return s.tasks;
  if constexpr (R == role::once) return s.once;
  if constexpr (R == role::mint) return s.mint;
  if constexpr (R == role::limiter) return s.limiter;
  if constexpr (R == role::budget) return s.budget;
  if constexpr (R == role::loader) return s.loader;
  if constexpr (R == role::discovery) return s.discovery;
  if constexpr (R == role::keys) return s.keys[who.index];
  if constexpr (R == role::router) return s.routers[who.unit];
}

/// Calls `end` with each that goes once there are no calls: all but those that still have to
/// deliver audit events and spans. (Those of upstreams end with their slots.)
template <class End>
void end_with_calls(const staff& s, End&& end) {
  for (const auto& r : s.routers) end(r);
  end(s.activity);
  end(s.health);
  end(s.tasks);
  end(s.limiter);
  end(s.budget);
  end(s.loader);
  end(s.discovery);
  for (const auto& k : s.keys) end(k);
  end(s.once);
  end(s.mint);
}

}  // namespace gate::supervisor
