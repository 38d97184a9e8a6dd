#pragma once
/// SINK of a webhook: delivers events in batches, each a JSON array. Bounded, and nobody waits for
/// it; a receiver that is away costs what it does not get (limits::outbox_…). Spawned and
/// supervised by GATEWAY, on the first unit; told by AUDIT.
#include "actors/interfaces.hpp"
#include "actors/outbox/delivering.hpp"

namespace gate::audits {

struct webhook_parts {
  outbox::address where;
  egress_handle egress;
  random_source random;
  labelled<audit_loss> dropped;
};

class webhook_sink_actor final : public outbox::delivering<sink_handle, audit_flushed> {
 public:
  webhook_sink_actor(caf::actor_config& cfg, caf::execution_unit* unit, webhook_parts parts);
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::sink); }

 private:
  void fails(std::string_view why) override;
  void works(std::size_t lost) override;
};

}  // namespace gate::audits
