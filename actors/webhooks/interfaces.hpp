#pragma once
/// The actors of `gate-hooks` and what they tell each other (docs/decisions/0035-gate-hooks.md).
/// The doors are LEDGER (transport/ledger_interface.hpp), EGRESS, INGRESS and WATCH
/// (transport/interfaces.hpp).
///
///   HOOKS        starts all others, and again if they crash; the order of the end.
///   API          takes requests, asks LEDGER, tells DISPATCH what is due.
///   DISPATCH     which webhooks have something due, and when; a DESTINATION for each that has.
///   DESTINATION  the deliveries of one webhook.
///   TRIALS       test calls.
///   UPKEEP       ends leases that ran out and what is kept no longer; counts.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

using webhook::wall_time;

// --- DISPATCH ------------------------------------------------------------------------------------

/// This webhook has something due then, or was enabled and may have.
struct due_told {
  std::string webhook, organization;
  wall_time at{};
};

/// An attempt of a delivery has ended, and LEDGER has taken note of it.
struct attempt_told {
  std::uint64_t number = 0;  ///< of the `follow_webhook`
  std::string delivery;
  webhook::state status = webhook::state::succeeded;  ///< or `failed`, or `dead`
};
using follower_handle = caf::typed_actor<caf::reacts_to<attempt_told>>;
/// Tell of all attempts of this webhook from now on, until `unfollow`, or until the follower dies.
struct follow_webhook {
  std::uint64_t number = 0;  ///< chosen by the follower, and never used again
  std::string webhook;
  follower_handle who;
};
struct unfollow {
  std::uint64_t number = 0;
  follower_handle who;
};

using dispatch_handle = caf::typed_actor<caf::reacts_to<due_told>, caf::reacts_to<follow_webhook>,
                                         caf::reacts_to<unfollow>>;

/// LEDGER has been started again: what the one before was asked, it does not answer.
struct use_ledger {
  ledger_handle now;
};
/// No new attempts: those that run have `limits::drain` to end, what is left is due again at once.
/// Answered when there is none any more.
struct stop_delivering {};
struct delivering_stopped {};

/// What HOOKS knows of DISPATCH.
using dispatch_user =
    dispatch_handle::extend<caf::reacts_to<use_ledger>,
                            caf::replies_to<stop_delivering>::with<delivering_stopped>>;

// --- DESTINATION ---------------------------------------------------------------------------------
// A DESTINATION says its number with all it says.

/// It wants places for so many deliveries. (One claim of each waits at a time.)
struct claim_places {
  std::uint64_t destination = 0;
  std::size_t wanted = 0;
};
/// So many it does not need any more.
struct give_places {
  std::uint64_t destination = 0;
  std::size_t n = 0;
};
/// It has nothing to do before then, and was told of so many things that are due since it started.
struct destination_rests {
  std::uint64_t destination = 0;
  std::uint64_t told = 0;
  std::optional<wall_time> due;
};
/// An attempt of a webhook that is followed.
struct attempt_noted {
  std::uint64_t destination = 0;
  std::string delivery;
  webhook::state status = webhook::state::succeeded;
};
/// It was told to stop, and has.
struct destination_over {
  std::uint64_t destination = 0;
};
using destination_user =
    caf::typed_actor<caf::reacts_to<claim_places>, caf::reacts_to<give_places>,
                     caf::reacts_to<destination_rests>, caf::reacts_to<attempt_noted>,
                     caf::reacts_to<destination_over>>;

/// It has so many places now, beside those that it had.
struct places_granted {
  std::size_t n = 0;
};
/// Whether its attempts are to be told as `attempt_noted`.
struct be_followed {
  bool on = false;
};
/// It has nothing to do any more.
struct end_destination {};
/// Nobody waits for the attempts that run any more.
struct give_up_delivering {};

using destination_handle =
    caf::typed_actor<caf::reacts_to<due_told>, caf::reacts_to<places_granted>,
                     caf::reacts_to<be_followed>, caf::reacts_to<use_ledger>,
                     caf::reacts_to<end_destination>, caf::reacts_to<stop_delivering>,
                     caf::reacts_to<give_up_delivering>>;

// --- TRIALS --------------------------------------------------------------------------------------

/// What became of a trial. Exactly one for each, unless TRIALS dies.
struct tried {
  std::uint64_t number = 0;
  webhook::outcome how;
};
using trial_asker = caf::typed_actor<caf::reacts_to<tried>>;
/// One attempt to deliver this event, signed and guarded as all are; nothing of it is kept, and it
/// is not made again.
struct try_webhook {
  std::uint64_t number = 0;  ///< chosen by the asker
  webhook::webhook what;
  webhook::event event;
  trial_asker asker;
};
using trials_handle = caf::typed_actor<caf::reacts_to<try_webhook>>;

// --- UPKEEP --------------------------------------------------------------------------------------

using upkeep_handle = caf::typed_actor<caf::reacts_to<use_ledger>>;

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::due_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::attempt_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::follow_webhook)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::unfollow)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::use_ledger)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::stop_delivering)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::delivering_stopped)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::claim_places)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::give_places)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::destination_rests)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::attempt_noted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::destination_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::places_granted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::be_followed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::end_destination)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::give_up_delivering)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::tried)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::try_webhook)
