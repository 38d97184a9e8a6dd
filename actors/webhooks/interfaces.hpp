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
#include <string>

#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"

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

using dispatch_handle =
    caf::typed_actor<caf::reacts_to<due_told>, caf::reacts_to<follow_webhook>,
                     caf::reacts_to<unfollow>>;

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

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::due_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::attempt_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::follow_webhook)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::unfollow)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::tried)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::try_webhook)
