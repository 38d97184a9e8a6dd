#pragma once
/// A warden: the process between KEEPER and one child. It forks the child as the leader of a
/// process group, reports what becomes of it, and ends when no descendant is left. It has one
/// thread and is never in the shim itself. Made by KEEPER.
#include <sys/resource.h>

#include "transport/process/keeper.hpp"

namespace gate::process {

/// Within the process that KEEPER has forked; never returns. SIGCHLD is blocked. `ends` are the
/// child's: its standard input, output and error, and the warden's end of the control socket;
/// `files` its limit of open files.
[[noreturn]] void run_warden(child_ends ends, const command& c, const rlimit& files);

/// What KEEPER and wardens have in common.
/// A descriptor that is readable while SIGCHLD, which must be blocked, is pending.
int child_signals();
/// Forgets what `child_signals` has told; false: it has told nothing.
bool read_child_signals(int fd);
void send_report(int socket, warden_report r);
/// Has whoever asked for a child, or all that is left of him, given it up?
bool abandoned(int control);
/// What `ps`, `top` and `pgrep -f` show, instead of the shim's name and arguments: who means the
/// shim must not hit us.
void name_process(const char* name);
/// But for PATH, so that a child finds no secret of the shim in that of its parent.
void forget_environment();

}  // namespace gate::process
