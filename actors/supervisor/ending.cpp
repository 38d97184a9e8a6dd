#include "actors/supervisor/ending.hpp"

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::supervisor {

void ending::begin(std::size_t units) {
  if (!running()) return;
  phase_ = phase::draining;
  log::info("Stopping: no new connections, calls in flight have up to " +
            std::to_string(limits::drain.count()) + " s.");
  undrained_ = units;
  door_.drain();
  door_.wake(phase::draining, limits::drain);
}

void ending::drained() {
  if (--undrained_ > 0) return;
  if (phase_ == phase::draining || phase_ == phase::refusing) say_goodbye();
}

void ending::time_over(phase which) {
  if (which != phase_) return;
  if (which == phase::draining) {
    phase_ = phase::refusing;
    log::warn("The drain time is over: what is still running is refused.");
    door_.refuse_calls();
    door_.wake(phase::refusing, limits::refusals_flush);
  } else if (which == phase::refusing) {
    say_goodbye();
  } else if (which == phase::goodbye) {
    end_all();
  }
}

void ending::child_gone() {
  if (phase_ == phase::goodbye && !door_.upstreams_alive()) return end_all();
  if (phase_ == phase::last_words) finish();
}

void ending::say_goodbye() {
  // Clients may have gone whose calls still run: nobody is there to wait for them, but they end as
  // what they are, and are audited before their sessions go.
  if (phase_ == phase::draining) door_.refuse_calls();
  phase_ = phase::goodbye;
  door_.say_goodbye();
  if (!door_.upstreams_alive()) return end_all();
  door_.wake(phase::goodbye, limits::goodbye);
}

/// Calls that nobody answered are audited as ROUTER dies: only then is there nothing left to flush.
void ending::end_all() {
  phase_ = phase::last_words;
  door_.end_all();
  finish();
}

void ending::finish() {
  if (flushing_ || door_.routers_alive()) return;
  flushing_ = true;
  door_.flush();
}

}  // namespace gate::supervisor
