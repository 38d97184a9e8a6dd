#pragma once
/// The processes below a process, as /proc tells, and how to signal one of them without ever
/// hitting another that got its number meanwhile. For KEEPER and its wardens, which have one
/// thread.
#include <sys/types.h>

#include <set>
#include <vector>

namespace gate::process {

/// Does /proc show processes? Without it none of the rest can be done.
bool processes_are_shown();

/// The children of a process of ours, zombies included; none if /proc can not tell. The kernel
/// promises a whole list only if none of them ends meanwhile: an empty one proves nothing.
std::vector<pid_t> children_of(pid_t parent);

/// Everything below `root`, without itself: parents before their children. At most
/// `limits::child_processes`. What forks or ends meanwhile may be missing or be there in vain. The
/// children that are to be spared are left out, with all that is below them.
struct descendant {
  pid_t pid = 0;
  pid_t parent = 0;
};
std::vector<descendant> descendants_of(pid_t root, const std::set<pid_t>& spared = {});

/// Sends the signal, if the process is still a child of that parent, or its parent has ended; a
/// child of this process must not have been reaped since it was found. False if it is not there, or
/// may not be signalled. Who is hidden from us (/proc with hidepid) and no child of ours is left
/// alone: it becomes one when what is between us has ended.
bool signal_exactly(const descendant& whom, int signal);

/// Kills everything below this process: stops it first, so that nothing forks faster than it is
/// killed. Reaps the children that have ended, but for `unreaped`; what it kills itself is there
/// until it is reaped. Returns how many there were, zombies below others included.
std::size_t kill_descendants(const std::set<pid_t>& spared = {}, pid_t unreaped = 0);

}  // namespace gate::process
