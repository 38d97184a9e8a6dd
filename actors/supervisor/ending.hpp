#pragma once
/// The end of the gateway, in good order. Part of GATEWAY.
///
///   phase       what happens                                           until
///   draining    no new connections; calls in flight go on              all have ended, or 10 s
///   refusing    what still runs is answered: the gateway is stopping   written, or 1 s
///   goodbye     upstreams are told that their sessions end             told, or 2 s
///   last_words  routers end; then the audit trail is flushed           they are gone
#include "actors/supervisor/doors.hpp"

namespace gate::supervisor {

class ending {
 public:
  explicit ending(ending_door& door) : door_(door) {}

  bool running() const { return phase_ == phase::running; }
  /// Nobody is restarted any more, but whom the audit trail needs.
  bool late() const { return phase_ >= phase::goodbye; }
  /// The audit trail is being flushed.
  bool flushing() const { return flushing_; }

  void begin(std::size_t units);
  /// One unit has no connections left.
  void drained();
  void time_over(phase which);
  /// Somebody ended, and is known to be gone.
  void child_gone();

 private:
  void say_goodbye();
  void end_all();
  void finish();

  ending_door& door_;
  phase phase_ = phase::running;
  std::size_t undrained_ = 0;
  bool flushing_ = false;
};

}  // namespace gate::supervisor
