#pragma once
/// The cast of the shim, and what its actors say to each other. All of them live on one unit.
///
///   SHIM      takes every request: host, token, endpoint, which session. Owns slots and health.
///   SESSION   one client and one child: requests in flight, streams, the teardown.
///   PROBE     starts the server once and initializes it, for /health and --probe.
///
/// Behind the door (transport/interfaces.hpp): INGRESS, WATCH, CHILDREN and each CHILD.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <cstdint>
#include <string>

#include "transport/interfaces.hpp"

namespace gate::shim {

// --- to SESSION, from SHIM -----------------------------------------------------------------------

/// The shim stops. `now`: do not wait for requests in flight.
struct end_session {
  bool now = false;
};
// Also: `arrival`, each request that names the session; `child_made`, once; and what CHILD tells
// its user. PROBE takes `end_session` too.

using session_handle = child_user::extend<caf::reacts_to<arrival>, caf::reacts_to<end_session>,
                                          caf::reacts_to<child_made>>;

// --- to SHIM, from SESSION and PROBE -------------------------------------------------------------

/// The server has answered `initialize` with a result: it can be run.
struct session_live {
  std::uint64_t number = 0;
};
/// The session is over: its id is unknown from now on. Its processes may still be ending.
struct session_closing {
  std::uint64_t number = 0;
};
/// What became of a PROBE. It goes on until nothing of its child is left.
struct probed {
  bool runs = false;
  std::string what;  ///< who the server says it is, or why it can not be run
};
using probe_user = caf::typed_actor<caf::reacts_to<probed>>;
/// What others may say to PROBE: to end before its time.
using probe_handle = caf::typed_actor<caf::reacts_to<end_session>>;

using shim_handle = arrivals_handle::extend<caf::reacts_to<stop_requested>>::
    extend<caf::reacts_to<reload_requested>>::extend<caf::reacts_to<session_live>>::extend<
        caf::reacts_to<session_closing>>::extend<caf::reacts_to<probed>>;

// --- to themselves -------------------------------------------------------------------------------

/// Deadlines, keep-alives, idleness: once a second.
struct session_tick {};
/// The child has had its time; `round` tells an old timer from the latest.
struct patience_over {
  std::uint64_t round = 0;
};
/// What a child had left to say was waited for.
struct last_words_over {};
/// A slow client may have read on, or others have had their turn: what the child said goes on.
struct hear_more {};
/// The time for requests in flight, or for the rest of the shutdown, is over.
/// To itself: who waits for /health may have waited long enough.
struct health_due {};
struct drain_over {};
struct goodbye_over {
  bool long_ago = false;  ///< every child should have been killed by now
};

}  // namespace gate::shim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::end_session)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::session_live)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::session_closing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::probed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::session_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::patience_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::last_words_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::hear_more)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::health_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::drain_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::shim::goodbye_over)
