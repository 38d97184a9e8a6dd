#pragma once
/// SINK of standard output, or of a file: hands lines to whoever writes them, who has a thread and
/// a bound of its own (transport/lines.hpp), and counts those that are lost. Spawned and supervised
/// by GATEWAY; told by AUDIT.
#include <caf/typed_event_based_actor.hpp>
#include <optional>

#include "actors/audit/sink.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::audits {

/// To itself: what was written has left, or has had its time.
struct lines_left {};
using line_sink_base = sink_handle::extend<caf::reacts_to<lines_left>>;

class line_sink_actor final : public line_sink_base::base {
 public:
  line_sink_actor(caf::actor_config& cfg, sink out, labelled<audit_loss> dropped);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::sink); }

 private:
  void write(std::string_view line);
  caf::result<audit_flushed> flush();
  void say_flushed();

  sink out_;
  labelled<audit_loss> dropped_;
  std::optional<caf::typed_response_promise<audit_flushed>> flushed_;
};

}  // namespace gate::audits

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audits::lines_left)
