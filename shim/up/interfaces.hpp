#pragma once
/// The actors of gate-up and the messages between them.
///
/// | actor | one for each | what it does |
/// |---|---|---|
/// | UP | process | reads the files, starts all others, prints what came of it, ends them in order
/// | | KEPT PROGRAM | gate-stdio and gate | starts it, hears where it listens, starts it again when
/// it dies | | LOOKER | process | asks over HTTP whether servers are well, and which tools they
/// have |
#include <caf/typed_actor.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "transport/interfaces.hpp"
#include "transport/programs.hpp"

namespace gate::up {

/// It listens; said again when it was started again.
struct kept_listens {
  std::string id;
  std::string url;
};
/// A line of its log, as it wrote it.
struct kept_said {
  std::string id;
  std::string line;
};
/// It can not be started, or has ended; it is tried again unless it is being ended.
struct kept_ended {
  std::string id;
  std::string why;
  bool for_good = false;  ///< nothing of it is left
};
using kept_user = caf::typed_actor<caf::reacts_to<kept_listens>, caf::reacts_to<kept_said>,
                                   caf::reacts_to<kept_ended>>;

/// End it: SIGTERM, and SIGKILL after `limits::program_goodbye`.
struct end_kept {};
/// SIGHUP.
struct reload_kept {};
using kept_handle = caf::typed_actor<caf::reacts_to<end_kept>, caf::reacts_to<reload_kept>>;

/// Starts a program; `spawn_program`, or what a test has in its place.
using program_starter = std::function<program_handle(program_spec, program_user)>;

}  // namespace gate::up

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::kept_listens)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::kept_said)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::kept_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::end_kept)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::reload_kept)
