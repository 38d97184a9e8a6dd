#include "actors/guards/circuit_breaker.hpp"

#include <algorithm>
#include <utility>

#include "transport/log.hpp"

namespace gate::guards {
namespace {

std::string_view describe(breaker::cause c) {
  switch (c) {
    case breaker::cause::failures:
      break;
    case breaker::cause::probe_failed:
      return "The circuit of an upstream is open again, since the probe failed.";
    case breaker::cause::probe_lost:
      return "The circuit of an upstream is open again, since nothing was heard of the probe.";
  }
  return "The circuit of an upstream is open: its calls are refused until it is tried again.";
}

}  // namespace

circuit_breaker::circuit_breaker(caf::actor_config& cfg, breaker_parts parts)
    : circuit_breaker_base::base(cfg),
      parts_(std::move(parts)),
      // The clock's nanoseconds: no lease of a breaker that crashed before this one is repeated.
      it_(parts_.settings, parts_.request,
          static_cast<std::uint64_t>(clock().now().time_since_epoch().count())),
      told_(what_is_known()) {
  set_down_handler([this](const caf::down_msg& m) {
    std::erase_if(listeners_, [&m](const auto& who) { return who.address() == m.source; });
  });
}

circuit_breaker::behavior_type circuit_breaker::make_behavior() {
  parts_.state.set(static_cast<double>(told_.state));
  return {
      [this](const request_ended& m) {
        it_.ended(m.how, m.lease, clock().now());
        settle();
      },
      [this](upstream_reached) {
        it_.reached(clock().now());
        settle();
      },
      [this](const want_lease& m) {
        const auto lease = it_.lease(clock().now(), m.longest);
        settle();
        send(m.asker, lease_told{m.number, lease});
      },
      [this](listen_to_breaker& m) { listen(std::move(m.who)); },
      [this](breaker_tick m) {
        if (m.number != tick_) return;
        armed_.reset();
        it_.pass(clock().now());
        settle();
      },
  };
}

/// Whoever is observed keeps a note of it; HEALTH outlives all upstreams.
void circuit_breaker::on_exit() {
  for (const auto& who : listeners_) demonitor(who.address());
  listeners_.clear();
}

void circuit_breaker::listen(breaker_listener who) {
  if (!who) return;
  send(who, what_is_known());
  if (std::find(listeners_.begin(), listeners_.end(), who) != listeners_.end()) return;
  monitor(who);
  listeners_.push_back(std::move(who));
}

void circuit_breaker::settle() {
  const auto now = what_is_known();
  if (now.state != told_.state || now.clean != told_.clean) {
    const auto before = std::exchange(told_, now).state;
    if (now.state != before) {
      parts_.state.set(static_cast<double>(now.state));
      log_change(before);
    }
    for (const auto& who : listeners_) send(who, now);
  }
  if (it_.next() == armed_) return;
  armed_ = it_.next();
  ++tick_;
  if (armed_) delayed_send(this, *armed_ - clock().now(), breaker_tick{tick_});
}

void circuit_breaker::log_change(breaker_state before) const {
  switch (told_.state) {
    case breaker_state::closed:
      return log::info("The circuit of an upstream is closed again.", {{"upstream", parts_.id}});
    case breaker_state::half_open:
      return log::info("The circuit of an upstream is half open: one call may try it.",
                       {{"upstream", parts_.id}});
    case breaker_state::open:
      break;
  }
  const auto pause = std::to_string(parts_.settings.half_open_after.count());
  if (before == breaker_state::closed)
    log::warn(describe(it_.why()), {{"upstream", parts_.id},
                                    {"failures", std::to_string(it_.failures())},
                                    {"tried_again_after_ms", pause}});
  else
    log::warn(describe(it_.why()), {{"upstream", parts_.id}, {"tried_again_after_ms", pause}});
}

breaker_told circuit_breaker::what_is_known() const {
  return {parts_.index, it_.state(), it_.clean()};
}

}  // namespace gate::guards
