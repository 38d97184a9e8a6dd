#pragma once
/// What all sessions of one upstream on a unit are told when they are made; immutable. A session's
/// core knows no more of it than its `facts`. Made by `make_context` for UPSTREAM, which hands it
/// to its sessions.
#include <memory>

#include "actors/interfaces.hpp"
#include "actors/upstream/credentials_actor.hpp"
#include "actors/upstream/facts.hpp"
#include "actors/upstream/tool_memory.hpp"
#include "transport/metrics.hpp"

namespace gate::upstream {

/// Whom an upstream asks before it is asked. UPSTREAM tells its sessions when one is replaced.
struct guard_set {
  budget_handle budget;
  breaker_handle breaker;
  balancer_handle balancer;  ///< null: there is one endpoint, and nobody probes it
};

struct context : facts {
  answers_handle router;
  egress_handle egress;
  store_handle store;  ///< null, unless lists are shared with other instances
  std::uint32_t store_database = 0;
  outside_world outside;
  labelled<upstream_outcome> requests;
  labelled<fetch_outcome> credential_fetches;
  metrics::value bridged;  ///< sessions of clients with all upstreams
  labelled<upstream_session> sessions;
  metrics::histogram duration;
  /// What was listed of its tools on this unit: it outlives UPSTREAM, as the lists do.
  std::shared_ptr<tool_memory> tools;
};
using context_ptr = std::shared_ptr<const context>;

/// From the upstream's configuration.
context_ptr make_context(const config::compiled_upstream& u, answers_handle router,
                         egress_handle egress, metrics& m, outside_world outside,
                         const store_handle& store = {}, std::uint32_t store_database = 0,
                         std::shared_ptr<tool_memory> tools = std::make_shared<tool_memory>());
/// Removes the counters and histograms that contexts of this upstream have.
void forget_counters(metrics& m, std::string_view id);

}  // namespace gate::upstream
