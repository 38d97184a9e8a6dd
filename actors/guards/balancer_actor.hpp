#pragma once
/// BALANCER: the replicas of one upstream. Picks the endpoint of each new session, hears which
/// could not be reached, probes them all by itself where `healthCheck.intervalMs` says so, and
/// tells whoever listens which are in rotation. Spawned by GATEWAY, one per process; asked by the
/// upstream's sessions on all units. (The rules are in balancer.hpp.)
///
///   probes     UPSTREAM comes        the interval is over    UPSTREAM is gone
///   begin      of all endpoints      of those that are not   what runs is forgotten
///                                    being probed
///
/// Where the credential comes from callers nobody can be probed: health is passive.
#include <caf/typed_event_based_actor.hpp>
#include <string>
#include <vector>

#include "actors/guards/balancer.hpp"
#include "actors/interfaces.hpp"
#include "config/snapshot/snapshot.hpp"
#include "transport/metrics.hpp"

namespace gate::guards {

/// To itself: some endpoint may have rested; the next probes are due.
struct rest_over {
  std::chrono::steady_clock::time_point at;
};
struct probes_due {};
using balancer_base =
    gate::balancer_handle::extend<caf::reacts_to<rest_over>, caf::reacts_to<probes_due>>;

struct balancer_parts {
  config::compiled_upstream config;
  std::vector<metrics::value> healthy;  ///< a gauge per endpoint; empty if there is only one
  std::vector<std::string> names;       ///< of endpoints
};
/// What the endpoints of an upstream are called in metrics, logs and reports: their place, and a
/// number where only queries, which are not shown, tell them apart.
std::vector<std::string> endpoint_names(const config::compiled_upstream& u);
balancer_parts make_balancer_parts(const config::compiled_upstream& u, metrics& m);

/// Does an upstream need a BALANCER?
inline bool wants_balancer(const config::compiled_upstream& u) {
  return u.endpoints.size() > 1 || u.probe_interval.count() > 0;
}

class balancer_actor final : public balancer_base::base {
 public:
  balancer_actor(caf::actor_config& cfg, balancer_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::balancer); }

 private:
  using time_point = std::chrono::steady_clock::time_point;

  time_point now() { return clock().now(); }
  void pass();
  void on_probed(const endpoint_probed& m);
  void note(balancer::change what, std::size_t endpoint, const std::string& detail);
  void arm();
  void begin_probes();
  bool probes() const {
    return parts_.config.probe_interval.count() > 0 && !parts_.config.per_caller;
  }

  balancer_parts parts_;
  balancer core_;
  std::vector<endpoints_listener> listeners_;
  endpoint_probes prober_;
  std::vector<std::uint64_t> probing_;  ///< by endpoint: the round of the probe under way, or 0
  std::uint64_t round_ = 0;
  bool interval_runs_ = false;
  time_point armed_ = time_point::max();
};

}  // namespace gate::guards

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::guards::rest_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::guards::probes_due)
