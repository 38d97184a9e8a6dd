#pragma once
/// TRACES: exports spans to the collector by OTLP over HTTP, in batches. Bounded (limits::trace_…),
/// and nobody waits for it; a collector that is away costs the spans that it does not get, which
/// are counted. Spawned and supervised by GATEWAY, on the first unit; told by ROUTERs.
#include <optional>

#include "actors/interfaces.hpp"
#include "actors/outbox/delivering.hpp"
#include "config/document.hpp"
#include "protocol/trace/export.hpp"

namespace gate::traces {

struct traces_parts {
  outbox::address where;
  trace::resource about;
  egress_handle egress;
  wall_clock wall;
  random_source random;
  labelled<trace_loss> dropped;
};

/// Where `tracing` (valid) exports to. Like all that the operator names it may be at a private
/// address, and redirects are not followed.
outbox::address collector_of(const config::tracing_section& section);

class traces_actor final : public outbox::delivering<gate::traces_handle, traces_flushed> {
 public:
  traces_actor(caf::actor_config& cfg, caf::execution_unit* unit, const traces_parts& parts);
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::traces); }

 private:
  outbox::judgement judge(const fetched& f);
  void note_refused(const fetched& f);
  void fails(std::string_view why) override;
  void works(std::size_t lost) override;

  wall_clock wall_;
  metrics::value refused_;  ///< spans that the collector has not taken among others
  bool told_refused_ = false;
};

}  // namespace gate::traces
