#pragma once
/// SINK of standard output: hands lines to whoever writes them, who has a thread and a bound of its
/// own (transport/lines.hpp), and counts those that this costs. Spawned and supervised by GATEWAY;
/// told by AUDIT.
#include <caf/typed_event_based_actor.hpp>

#include "actors/audit/sink.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::audits {

class stdout_sink_actor final : public sink_actor::base {
 public:
  stdout_sink_actor(caf::actor_config& cfg, sink out, metrics::value dropped);
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::sink); }

 private:
  sink out_;
  metrics::value dropped_;
};

}  // namespace gate::audits
