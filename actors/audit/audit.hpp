#pragma once
/// AUDIT: turns events into lines and hands them to the sinks. Spawned by GATEWAY when the
/// configuration has an audit section; told by every ROUTER's exit door.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::audits {

/// Takes one line, LF included; returns how many lines had to be dropped.
struct sink {
  std::function<std::size_t(std::string_view line)> write;
  std::function<void()> flush;
};

class audit final : public audit_actor::base {
 public:
  audit(caf::actor_config& cfg, sink out, metrics::value dropped);
  behavior_type make_behavior() override;
  const char* name() const override { return "audit"; }

 private:
  sink out_;
  metrics::value dropped_;
  std::string line_;
};

}  // namespace gate::audits
