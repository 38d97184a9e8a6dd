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
    : pinned(cfg, unit),
      egress_(parts.egress),
      place_(parts.where.to->url.place()),
      courier_(*this, parts_of(parts)) {}

webhook_sink_actor::behavior_type webhook_sink_actor::make_behavior() {
  return {
      [this](const audit_line& m) { courier_.put(m.text); },
      [this](flush_audit) { return flush(); },
      [this](const fetched& m) {
        courier_.on_fetched(m);
        say_flushed();
      },
      [this](const streamed& m) {
        courier_.on_streamed(m);
        say_flushed();
      },
      [this](sink_tick m) {
        courier_.on_time(m.at);
        say_flushed();
      },
  };
}

void webhook_sink_actor::on_exit() {
  courier_.lose_all();
  say_flushed();  // a promise that dies is never answered
  egress_ = nullptr;
}

void webhook_sink_actor::start(fetch_ptr what) {
  send(egress_, start_fetch{std::move(what), caf::actor_cast<fetch_client>(this)});
}

void webhook_sink_actor::abandon(std::uint64_t fetch) {
  send(egress_, abandon_fetch{fetch, caf::actor_cast<fetch_client>(this)});
}

void webhook_sink_actor::wake(outbox::time_point at) {
  const auto left = at - clock().now();
  delayed_send(this, std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds{0}),
               sink_tick{at});
}

void webhook_sink_actor::fails(std::string_view why) {
  log::warn(
      "Audit events can not be delivered; each delivery is tried again some times and then "
      "dropped, and further failures are not logged until one is taken.",
      {{"url", place_}, {"detail", std::string(why)}});
}

void webhook_sink_actor::works(std::size_t lost) {
  log::info("Audit events are delivered again.",
            {{"url", place_}, {"dropped", std::to_string(lost)}});
}

caf::result<audit_flushed> webhook_sink_actor::flush() {
  courier_.leave_within(limits::outbox_flush);
  if (courier_.empty()) return audit_flushed{};
  flushed_ = make_response_promise<audit_flushed>();
  return *flushed_;
}

void webhook_sink_actor::say_flushed() {
  if (!courier_.empty()) return;
  if (auto who = std::exchange(flushed_, std::nullopt)) who->deliver(audit_flushed{});
}

}  // namespace gate::audits
