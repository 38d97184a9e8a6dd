#include "actors/audit/stdout_sink_actor.hpp"

namespace gate::audits {

stdout_sink_actor::stdout_sink_actor(caf::actor_config& cfg, sink out, metrics::value dropped)
    : sink_actor::base(cfg), out_(std::move(out)), dropped_(dropped) {}

stdout_sink_actor::behavior_type stdout_sink_actor::make_behavior() {
  return {
      [this](const audit_line& m) {
        if (const auto lost = out_.write(*m.text)) dropped_.add(static_cast<double>(lost));
      },
      [this](flush_audit) {
        if (out_.flush) out_.flush();
        return audit_flushed{};
      },
  };
}

}  // namespace gate::audits
