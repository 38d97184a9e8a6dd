#include "transport/at_once.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include "transport/log.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::at_once {

bool is_idle_here(caf::scheduled_actor& self, const caf::execution_unit* unit) {
  // Who waits for messages has handled all. Only its own thread has it do that, or wakes it; what
  // comes from elsewhere meanwhile stands in its mailbox until its turn.
  return scheduler::io_unit::current() == unit && self.mailbox().blocked();
}

void end(caf::scheduled_actor& self, const char* why) {
  log::error("An actor has failed and ends.", {{"actor", self.name()}, {"error", why}});
  caf::anon_send_exit(caf::actor_cast<caf::actor>(caf::strong_actor_ptr{self.ctrl()}),
                      caf::exit_reason::unhandled_exception);
}

}  // namespace gate::at_once
