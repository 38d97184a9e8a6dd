#include "actors/audit/line_sink_actor.hpp"

namespace gate::audits {

line_sink_actor::line_sink_actor(caf::actor_config& cfg, sink out, labelled<audit_loss> dropped)
    : sink_actor::base(cfg), out_(std::move(out)), dropped_(dropped) {}

line_sink_actor::behavior_type line_sink_actor::make_behavior() {
  return {
      [this](const audit_line& m) { write(*m.text); },
      [this](reopen_sink) {
        if (out_.reopen) out_.reopen();
      },
      [this](flush_audit) {
        if (out_.flush) out_.flush();
        return audit_flushed{};
      },
  };
}

void line_sink_actor::write(std::string_view line) {
  const auto lost = out_.write(line);
  if (lost.overflow) dropped_[audit_loss::overflow].add(static_cast<double>(lost.overflow));
  if (lost.failed) dropped_[audit_loss::failed].add(static_cast<double>(lost.failed));
}

}  // namespace gate::audits
