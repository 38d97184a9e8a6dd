#include "actors/audit/audit.hpp"

namespace gate::audits {

audit::audit(caf::actor_config& cfg, sink out, metrics::value dropped)
    : audit_actor::base(cfg), out_(std::move(out)), dropped_(dropped) {}

audit::behavior_type audit::make_behavior() {
  return {
      [this](const audit_record& m) {
        line_.clear();
        gate::audit::append_line(line_, *m.event);
        if (const auto lost = out_.write(line_)) dropped_.add(static_cast<double>(lost));
      },
      [this](flush_audit) {
        if (out_.flush) out_.flush();
        return audit_flushed{};
      },
  };
}

}  // namespace gate::audits
