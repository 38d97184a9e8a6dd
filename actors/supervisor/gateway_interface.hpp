#pragma once
/// GATEWAY, and what it tells itself.
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

using gateway_handle =
    gate::gateway_handle::extend<caf::reacts_to<respawn>, caf::reacts_to<phase_over>>;
/// The actor, as its parts use it: to spawn and to send.
using gateway_self = gateway_handle::base;

}  // namespace gate::supervisor

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::phase_over)
