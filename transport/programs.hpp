#pragma once
/// Other programs as processes of ours: started with an environment of their own, listened to, and
/// ended. Their standard error comes line by line, what they write to standard output is nobody's.
/// A program that is not ended by us is sent SIGTERM by the kernel when we are gone. For gate-up.
#include <sys/types.h>

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/typed_actor.hpp>
#include <string>
#include <vector>

namespace gate {

struct program_spec {
  std::vector<std::string> command;      ///< the program's path, and its arguments
  std::vector<std::string> environment;  ///< `NAME=value`, all of it
};

/// It runs. (That its file could be executed is known by then.)
struct program_started {
  pid_t pid = 0;
};
/// It never ran; nothing else comes.
struct program_failed {
  std::string why;
};
/// What it wrote to standard error, whole lines, each at most `limits::program_line_bytes`.
struct program_said {
  std::vector<std::string> lines;
};
/// It has ended, and all that it said was told.
struct program_ended {
  int status = 0;  ///< exit code, or the signal's number
  bool by_signal = false;
};

using program_user =
    caf::typed_actor<caf::reacts_to<program_started>, caf::reacts_to<program_failed>,
                     caf::reacts_to<program_said>, caf::reacts_to<program_ended>>;

/// Sends it this signal; nothing happens if it has ended.
struct signal_program {
  int number = 0;
};
/// PROGRAM: one process. Ends when the process has.
using program_handle = caf::typed_actor<caf::reacts_to<signal_program>>;

/// Starts it. Its user hears `program_started` or `program_failed` first; when the user ends, the
/// process is killed.
program_handle spawn_program(caf::actor_system& system, caf::execution_unit* unit,
                             program_spec what, program_user user);

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::program_started)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::program_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::program_said)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::program_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::signal_program)
