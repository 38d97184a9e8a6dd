#include "actors/guards/breaker_news.hpp"

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

breaker_news::breaker_news(breaker_parts parts)
    : parts_(std::move(parts)), told_{parts_.index, breaker_state::closed, true} {
  parts_.state.set(static_cast<double>(told_.state));
}

bool breaker_news::turn(breaker_state state, bool clean, breaker::cause why,
                        std::int64_t failures) {
  const breaker_told now{parts_.index, state, clean};
  if (now.state == told_.state && now.clean == told_.clean) return false;
  const auto before = std::exchange(told_, now).state;
  if (now.state != before) {
    parts_.state.set(static_cast<double>(now.state));
    parts_.transitions[static_cast<circuit>(now.state)].add();
    log_change(before, why, failures);
  }
  return true;
}

bool breaker_news::listen(breaker_listener who) {
  if (std::find(listeners_.begin(), listeners_.end(), who) != listeners_.end()) return false;
  listeners_.push_back(std::move(who));
  return true;
}

void breaker_news::forget(const caf::actor_addr& gone) {
  std::erase_if(listeners_, [&](const auto& who) { return who.address() == gone; });
}

void breaker_news::log_change(breaker_state before, breaker::cause why,
                              std::int64_t failures) const {
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
    log::warn(describe(why), {{"upstream", parts_.id},
                              {"failures", std::to_string(failures)},
                              {"tried_again_after_ms", pause}});
  else
    log::warn(describe(why), {{"upstream", parts_.id}, {"tried_again_after_ms", pause}});
}

}  // namespace gate::guards
