#include "actors/traces/traces_actor.hpp"

#include <utility>

#include "protocol/http/retry_after.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"
#include "transport/gzip.hpp"
#include "transport/log.hpp"

namespace gate::traces {

namespace {

/// One on this machine gets all as it is: what a network would save, two processes of the same
/// processors would pay for, and more than all the rest of a span.
bool packs(const destination& to) {
  return !to.url.loopback();
}

}  // namespace

outbox::address collector_of(const config::tracing_section& section) {
  auto to = std::make_shared<destination>();
  to->url = http::parse_url(section.otlp_endpoint).value();
  if (to->url.target == "/") to->url.target = trace::export_path;
  to->max_response_bytes = limits::trace_answer_bytes;
  to->redirects = false;  // what was configured is who may read it
  to->share = "traces";
  std::string lines("Content-Type: ");
  lines.append(trace::protobuf_type).append("\r\n");
  if (packs(*to)) lines.append("Content-Encoding: gzip\r\n");
  return {std::move(to), std::make_shared<const std::string>(std::move(lines))};
}

namespace {

outbox::courier_parts parts_of(const traces_parts& parts,
                               std::function<outbox::judgement(const fetched&)> judge) {
  return {
      parts.where,
      {limits::trace_items, limits::trace_bytes, limits::trace_batch, limits::trace_gather,
       limits::trace_attempts, limits::trace_pause},
      limits::trace_answer,
      [about = parts.about, zip = packs(*parts.where.to)](const outbox::queue::batch& spans) {
        auto request = about.request(spans);
        return zip ? gzip(request) : request;
      },
      parts.random,
      parts.dropped[trace_loss::overflow],
      parts.dropped[trace_loss::failed],
      std::move(judge),
      parts.dropped[trace_loss::refused],
  };
}

}  // namespace

traces_actor::traces_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                           const traces_parts& parts)
    : delivering(cfg, unit, parts.egress,
                 parts_of(parts, [this](const fetched& f) { return judge(f); })),
      wall_(parts.wall),
      refused_(parts.dropped[trace_loss::refused]) {}

traces_actor::behavior_type traces_actor::make_behavior() {
  return {
      [this](const spans_ended& m) { deliveries().put(m.text, m.count); },
      [this](flush_traces) { return flush(limits::trace_flush); },
      [this](const fetched& m) { received(m); },
      [this](const streamed& m) { received(m); },
      [this](outbox::tick m) { received(m); },
  };
}

/// OTLP: of what is not a success, four statuses are worth another try.
outbox::judgement traces_actor::judge(const fetched& f) {
  using verdict = outbox::judgement::verdict;
  switch (trace::verdict_of(f.status)) {
    case trace::verdict::taken:
      note_refused(f);
      return {};
    case trace::verdict::refused:
      return {verdict::refused, outbox::said(f)};
    case trace::verdict::again:
      break;
  }
  outbox::judgement out{verdict::again, outbox::said(f)};
  const auto pause = http::read_retry_after(f.retry_after_text, wall_());
  out.at_least = std::min(pause.value_or(std::chrono::seconds{0}), limits::trace_retry_after);
  return out;
}

/// It takes the others of the batch.
void traces_actor::note_refused(const fetched& f) {
  const auto answer = trace::read_answer(f.body ? *f.body : std::string_view{});
  if (answer.refused == 0) {
    told_refused_ = false;
    return;
  }
  const auto lost = std::min<std::uint64_t>(answer.refused, limits::trace_batch);
  refused_.add(static_cast<double>(lost));
  if (!std::exchange(told_refused_, true))
    log::warn("The collector takes some spans only.",
              {{"url", place()}, {"refused", std::to_string(lost)}, {"detail", answer.why}});
}

void traces_actor::fails(std::string_view why) {
  log::warn(
      "Spans can not be exported; those that wait longest are dropped and counted, and further "
      "failures are not logged until an export is taken.",
      {{"url", place()}, {"detail", std::string(why)}});
}

void traces_actor::works(std::size_t lost) {
  log::info("Spans are exported again.", {{"url", place()}, {"dropped", std::to_string(lost)}});
}

}  // namespace gate::traces
