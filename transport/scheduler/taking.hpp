#pragma once
/// TAKING: how a pinned actor takes its messages. CAF's own way does for each message what only
/// streams, receive timeouts and promises need: it looks through four queues, twice, and at the
/// clock, and makes the promise of an answer that nobody waits for. That is half of what a message
/// costs. Here the two queues are asked that we use, and messages of our own that nobody waits for
/// go straight to the behaviour. All else is left to CAF, which remains right about all of it.
#include <caf/fwd.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/resumable.hpp>
#include <cstddef>

namespace gate::taking {

/// In the place of `scheduled_actor::resume`.
caf::resumable::resume_result resume(caf::scheduled_actor& self, caf::execution_unit* unit,
                                     std::size_t most);
/// In the place of `scheduled_actor::consume`.
caf::invoke_message_result consume(caf::scheduled_actor& self, caf::mailbox_element& x);

}  // namespace gate::taking
