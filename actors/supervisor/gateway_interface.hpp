#pragma once
/// GATEWAY as others see it, and what it tells itself.
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "actors/supervisor/children.hpp"
#include "actors/supervisor/doors.hpp"

namespace gate::supervisor {

/// To itself: the pause of one that crashed is over.
struct respawn {
  child who;
};
/// To itself: this step of the end has had its time.
struct phase_over {
  phase which = phase::draining;
};

/// (SIGHUP and a changed file are `reload_requested`, from WATCH; so is an embedding program's
/// wish, with an answer.)
using gateway_handle =
    watcher_actor::extend_with<loading_user>::extend_with<discovery_user>::extend_with<
        departures_user>::extend<caf::replies_to<reload_with>::with<reloaded>,
                                 caf::reacts_to<respawn>, caf::reacts_to<phase_over>>;
/// The actor, as its parts use it: to spawn and to send.
using gateway_self = gateway_handle::base;

}  // namespace gate::supervisor

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::phase_over)
