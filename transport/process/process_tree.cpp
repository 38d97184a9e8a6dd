#include "transport/process/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "protocol/limits.hpp"

namespace gate::process {
namespace {

std::optional<std::string> slurp(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(fd);
  return text;
}

struct close_dir {
  void operator()(DIR* d) const { ::closedir(d); }
};
using directory = std::unique_ptr<DIR, close_dir>;

/// `f(number)` for each entry of the folder that is one.
template <class F>
void each_number(const std::string& path, F&& f) {
  const directory d(::opendir(path.c_str()));
  if (!d) return;
  while (const auto* entry = ::readdir(d.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto* end = name.data() + name.size();
    if (std::from_chars(name.data(), end, number).ptr == end && number > 0) f(number);
  }
}

/// The parent of a process; nothing if it is not there.
std::optional<pid_t> parent_of(pid_t pid) {
  const auto text = slurp("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return {};
  // `pid (name) state ppid …`: the name may hold anything, also parentheses.
  const auto name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text->size()) return {};
  const std::string_view rest = std::string_view(*text).substr(name_end + 4);
  pid_t parent = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), parent).ec != std::errc{}) return {};
  return parent;
}

void read_numbers(std::string_view text, std::vector<pid_t>& out) {
  const auto* at = text.data();
  const auto* end = at + text.size();
  while (at != end) {
    pid_t number = 0;
    const auto r = std::from_chars(at, end, number);
    if (r.ec == std::errc{}) out.push_back(number);
    at = r.ec == std::errc{} ? r.ptr : at + 1;
  }
}

/// Where the kernel was built without lists of children: a look at every process.
std::vector<pid_t> search_children(pid_t parent) {
  std::vector<pid_t> out;
  each_number("/proc", [&](pid_t pid) {
    if (parent_of(pid) == parent) out.push_back(pid);
  });
  return out;
}

}  // namespace

bool processes_are_shown() {
  return parent_of(::getpid()) == ::getppid();
}

std::vector<pid_t> children_of(pid_t parent) {
  const auto tasks = "/proc/" + std::to_string(parent) + "/task";
  std::vector<pid_t> out;
  static const bool listed = ::access("/proc/thread-self/children", R_OK) == 0;
  if (!listed) return search_children(parent);
  // A child belongs to the thread that forked it.
  each_number(tasks, [&](pid_t task) {
    if (const auto text = slurp(tasks + '/' + std::to_string(task) + "/children"))
      read_numbers(*text, out);
  });
  return out;
}

std::vector<descendant> descendants_of(pid_t root, const std::set<pid_t>& spared) {
  std::vector<descendant> out;
  std::unordered_set<pid_t> known{root};
  const auto add = [&](pid_t parent) {
    for (const auto pid : children_of(parent))
      if (out.size() < limits::child_processes && !spared.contains(pid) && known.insert(pid).second)
        out.push_back({pid, parent});
  };
  add(root);
  for (std::size_t i = 0; i < out.size(); ++i) add(out[i].pid);
  return out;
}

bool signal_exactly(const descendant& whom, int signal) {
  // A child of ours keeps its number until we reap it, so there is nothing to look up; and /proc
  // may not show us a child that has forbidden inspection.
  if (whom.parent == ::getpid()) return ::kill(whom.pid, signal) == 0;
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, whom.pid, 0));
  if (fd < 0 && errno == ESRCH) return false;
  // The descriptor means one process for good; is it the one that was found? Whose parent has ended
  // has fallen to this process.
  const auto parent = parent_of(whom.pid);
  const bool ours = parent && (*parent == whom.parent || *parent == ::getpid());
  // Where there are no such descriptors (an old kernel, a sandbox, too many files) it is killed all
  // the same: better than to leave it.
  if (fd < 0) return ours && ::kill(whom.pid, signal) == 0;
  const bool sent = ours && ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0) == 0;
  ::close(fd);
  return sent;
}

std::size_t kill_descendants(const std::set<pid_t>& spared, pid_t unreaped) {
  std::unordered_set<pid_t> stopped;
  const auto self = ::getpid();
  for (int pass = 0; pass < limits::child_stopping_passes; ++pass) {
    bool fresh = false;
    // Our own children first, with nothing between seeing and stopping them: what forks and ends
    // again and again is a new process a moment later. Those that have ended are no burden then.
    for (const auto pid : children_of(self)) {
      if (spared.contains(pid)) continue;
      if (pid != unreaped && ::waitpid(pid, nullptr, WNOHANG) == pid)
        stopped.erase(pid);
      else if (stopped.insert(pid).second)
        fresh = ::kill(pid, SIGSTOP) == 0 || fresh;
    }
    for (const auto& d : descendants_of(self, spared))
      if (stopped.insert(d.pid).second) fresh = signal_exactly(d, SIGSTOP) || fresh;
    if (!fresh) break;
  }
  const auto all = descendants_of(self, spared);
  for (const auto& d : all) signal_exactly(d, SIGKILL);
  return all.size();
}

}  // namespace gate::process
