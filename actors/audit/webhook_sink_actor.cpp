#include "actors/audit/webhook_sink_actor.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::audits {
namespace {

/// `[{…},{…}]` of lines.
std::string as_array(const outbox::queue::batch& lines) {
  std::string out;
  std::size_t size = 2;
  for (const auto& line : lines) size += line->size();
  out.reserve(size);
  for (const auto& line : lines) {
    out += out.empty() ? '[' : ',';
    out.append(*line, 0, line->size() - 1);
  }
  return out += ']';
}

outbox::courier_parts parts_of(webhook_parts& p) {
  return {
      std::move(p.where),
      {limits::outbox_items, limits::outbox_bytes, limits::outbox_batch, limits::outbox_gather,
       limits::outbox_attempts, limits::outbox_pause},
      limits::outbox_answer,
      as_array,
      std::move(p.random),
      p.dropped[audit_loss::overflow],
      p.dropped[audit_loss::failed],
  };
}

}  // namespace

webhook_sink_actor::webhook_sink_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                       webhook_parts parts)
    : delivering(cfg, unit, parts.egress, parts_of(parts)) {}

webhook_sink_actor::behavior_type webhook_sink_actor::make_behavior() {
  return {
      [this](const audit_line& m) { deliveries().put(m.text); },
      [this](flush_audit) { return flush(limits::outbox_flush); },
      [this](const fetched& m) { received(m); },
      [this](const streamed& m) { received(m); },
      [this](outbox::tick m) { received(m); },
  };
}

void webhook_sink_actor::fails(std::string_view why) {
  log::warn(
      "Audit events can not be delivered; each delivery is tried again some times and then "
      "dropped, and further failures are not logged until one is taken.",
      {{"url", place()}, {"detail", std::string(why)}});
}

void webhook_sink_actor::works(std::size_t lost) {
  log::info("Audit events are delivered again.",
            {{"url", place()}, {"dropped", std::to_string(lost)}});
}

}  // namespace gate::audits
