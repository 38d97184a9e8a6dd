#include "actors/audit/audit_actor.hpp"

namespace gate::audits {
namespace {

/// Most lines fit, and grow no further.
constexpr std::size_t usual_bytes = 512;

}  // namespace

audit_actor::audit_actor(caf::actor_config& cfg, const std::vector<outlet>& outlets)
    : gate::audit_handle::base(cfg) {
  for (const auto& o : outlets) outlets_.push_back({o, held_lines{o.most}});
}

audit_actor::behavior_type audit_actor::make_behavior() {
  return {
      [this](const audit_record& m) {
        std::string line;
        line.reserve(usual_bytes);
        gate::audit::append_line(line, *m.event);
        const auto text = std::make_shared<const std::string>(std::move(line));
        for (auto& o : outlets_) hand_on(o, text);
      },
      [this](const replaced<sink_handle>& m) { replace(m); },
      [this](flush_audit) { return flush(); },
  };
}

void audit_actor::on_exit() {
  outlets_.clear();
}

void audit_actor::hand_on(held_outlet& o, std::shared_ptr<const std::string> text) {
  if (o.it.to) return send(o.it.to, audit_line{std::move(text)});
  if (const auto lost = o.held.keep(std::move(text))) o.it.dropped.add(static_cast<double>(lost));
}

void audit_actor::replace(const replaced<sink_handle>& m) {
  auto& o = outlets_[m.index];
  o.it.to = m.now;
  if (!m.now) return;
  for (auto& text : o.held.take_all()) send(m.now, audit_line{std::move(text)});
}

/// Answered when all have said so, or are gone.
caf::result<audit_flushed> audit_actor::flush() {
  auto promise = make_response_promise<audit_flushed>();
  const auto open = std::make_shared<std::size_t>(1);  // the asking itself
  auto one_less = [promise, open]() mutable {
    if (--*open == 0) promise.deliver(audit_flushed{});
  };
  for (const auto& o : outlets_) {
    if (!o.it.to) continue;
    ++*open;
    request(o.it.to, caf::infinite, flush_audit{})
        .then([one_less](audit_flushed) mutable { one_less(); },
              [one_less](const caf::error&) mutable { one_less(); });
  }
  one_less();
  return promise;
}

}  // namespace gate::audits
