#include "actors/audit/line_sink_actor.hpp"

#include <caf/send.hpp>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::audits {

line_sink_actor::line_sink_actor(caf::actor_config& cfg, sink out, labelled<audit_loss> dropped)
    : line_sink_base::base(cfg), out_(std::move(out)), dropped_(dropped) {}

line_sink_actor::behavior_type line_sink_actor::make_behavior() {
  return {
      [this](const audit_line& m) { write(*m.text); },
      [this](flush_audit) { return flush(); },
      [this](lines_left) { say_flushed(); },
  };
}

void line_sink_actor::on_exit() {
  say_flushed();  // a promise that dies is never answered
}

void line_sink_actor::write(std::string_view line) {
  const auto lost = out_.write(line);
  if (lost.overflow) dropped_[audit_loss::overflow].add(static_cast<double>(lost.overflow));
  if (lost.failed) dropped_[audit_loss::failed].add(static_cast<double>(lost.failed));
}

/// Whoever takes the lines may be stuck.
caf::result<audit_flushed> line_sink_actor::flush() {
  if (!out_.flush) return audit_flushed{};
  flushed_ = make_response_promise<audit_flushed>();
  delayed_send(this, limits::lines_flush, lines_left{});
  out_.flush([self = caf::actor_cast<caf::actor>(this)] { caf::anon_send(self, lines_left{}); });
  return *flushed_;
}

void line_sink_actor::say_flushed() {
  if (auto who = std::exchange(flushed_, std::nullopt)) who->deliver(audit_flushed{});
}

}  // namespace gate::audits
