#pragma once
/// SINK of standard output, or of a file: hands lines to whoever writes them, who has a thread and
/// a bound of its own (transport/lines.hpp), and counts those that are lost. Spawned and supervised
/// by GATEWAY; told by AUDIT.
#include <caf/typed_event_based_actor.hpp>

#include "actors/audit/sink.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::audits {

class line_sink_actor final : public sink_actor::base {
 public:
  line_sink_actor(caf::actor_config& cfg, sink out, labelled<audit_loss> dropped);
  behavior_type make_behavior() override;
  const char* name() const override { return name_of(role::sink); }

 private:
  void write(std::string_view line);

  sink out_;
  labelled<audit_loss> dropped_;
};

}  // namespace gate::audits
