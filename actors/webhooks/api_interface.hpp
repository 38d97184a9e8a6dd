#pragma once
/// API, the actor that takes the requests of callers of `gate-hooks`: what others tell it. Beside
/// actors/webhooks/interfaces.hpp, as HOOKS alone tells it, and the doors.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>

#include "actors/webhooks/interfaces.hpp"
#include "transport/interfaces.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

/// Some of these were started again; null: it is the one that was.
struct use_parts {
  ledger_handle ledger;
  dispatch_handle dispatch;
  trials_handle trials;
};
/// Take no further requests, let INGRESS answer those that are there, cut off what is left after
/// `limits::drain`; then it ends.
struct end_api {};

using api_handle = arrivals_handle::extend<caf::reacts_to<ledger_told>, caf::reacts_to<tried>,
                                           caf::reacts_to<attempt_told>, caf::reacts_to<use_parts>,
                                           caf::reacts_to<end_api>>;

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::use_parts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::end_api)
