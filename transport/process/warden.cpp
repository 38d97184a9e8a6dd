#include "transport/process/warden.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>

#include "transport/process.hpp"
#include "transport/process/process_tree.hpp"

namespace gate::process {
namespace {

/// Between two passes of killing: the kernel needs a moment to end what was killed. Doubles, since
/// what may not be killed (it changed its user) can only be waited for.
constexpr int first_kill_pause_ms = 2;
constexpr int most_kill_pause_ms = 500;

/// Signals whose disposition we or the shim have changed: a child begins with the defaults.
constexpr std::array changed_signals{SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD};

struct failure {
  warden_report::event what;
  int error;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const auto& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void fail_child(int report, warden_report::event what) {
  const failure f{what, errno};
  static_cast<void>(!::write(report, &f, sizeof f));
  ::_exit(127);
}

/// Within the child: becomes the command. `report` closes when it has.
[[noreturn]] void run_child(const child_ends& ends, const command& c, const rlimit& files,
                            int report, pid_t warden) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != warden) ::_exit(127);  // it died before
  ::setpgid(0, 0);
  for (const int s : changed_signals) std::signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (::dup2(ends.input.get(), 0) < 0 || ::dup2(ends.output.get(), 1) < 0 ||
      ::dup2(ends.error.get(), 2) < 0)
    fail_child(report, warden_report::event::failed_fork);
  if (!c.directory.empty() && ::chdir(c.directory.c_str()) != 0)
    fail_child(report, warden_report::event::failed_directory);
  const auto arguments = pointers(c.arguments);
  const auto environment = pointers(c.environment);
  ::execvpe(arguments[0], arguments.data(), environment.data());
  fail_child(report, warden_report::event::failed_executable);
}

struct own_memory {
  std::span<char> arguments, environment;
};

/// Where this process's arguments and environment lie; empty where the kernel does not tell.
own_memory find_shown_memory() {
  std::ifstream in("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  // `pid (name) state …`: after the name come the fields from the third on.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  constexpr int before = 48 - 3;
  std::string skipped;
  for (int i = 0; i < before; ++i) fields >> skipped;
  std::array<std::uintptr_t, 4> at{};
  for (auto& a : at)
    if (!(fields >> a)) return {};
  const auto piece = [](std::uintptr_t begin, std::uintptr_t end) {
    return begin < end ? std::span(reinterpret_cast<char*>(begin), end - begin) : std::span<char>{};
  };
  return {piece(at[0], at[1]), piece(at[2], at[3])};
}

/// Looked up once: KEEPER does, and its wardens have it.
const own_memory& shown_memory() {
  static const own_memory it = find_shown_memory();
  return it;
}

/// One child's whole life, seen from above. There is one for each session, so what it writes to is
/// what a session costs: as long as its child runs it allocates nothing.
class warden {
 public:
  explicit warden(int control) : control_(control), signals_(child_signals()) {}

  bool start(child_ends ends, const command& c, const rlimit& files);
  void watch();

 private:
  /// Also when the other end is gone, or half of it: then nobody hears it, which is no error.
  void report(warden_report r) const { send_report(control_, r); }
  bool hear_child();
  void obey();
  /// `rung`: a child of ours has ended.
  void reap(bool rung);
  bool all_gone();
  void kill_all();

  int control_, signals_;
  descriptor told_;  ///< the child's word; open until it executes the command, or has failed to
  pid_t leader_ = 0;
  bool exited_ = false;  ///< the leader is a zombie, or reaped
  bool reaped_ = false;  ///< the leader's number may mean somebody else
  bool killing_ = false;
  bool orphan_ = false;  ///< the shim is gone
  int pause_ms_ = first_kill_pause_ms;
};

bool warden::start(child_ends ends, const command& c, const rlimit& files) {
  if (signals_ < 0) {  // the end of a child would never be seen
    report({warden_report::event::failed_fork, errno});
    return false;
  }
  if (abandoned(control_)) {
    report({warden_report::event::gone, 0});
    return false;
  }
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    report({warden_report::event::failed_fork, errno});
    return false;
  }
  told_ = descriptor(pipe[0]);
  descriptor tells(pipe[1]);
  const auto self = ::getpid();
  leader_ = ::fork();
  if (leader_ < 0) {
    report({warden_report::event::failed_fork, errno});
    return false;
  }
  if (leader_ == 0) run_child(ends, c, files, tells.get(), self);
  return true;
}

/// False: it could not execute the command, and is reaped. What holds it up (a file system that
/// does not answer) must not keep us from being told to kill it, so nobody waits for its word
/// alone.
bool warden::hear_child() {
  failure f{};
  const auto n = ::read(told_.get(), &f, sizeof f);
  if (n < 0) return true;  // interrupted: poll tells again
  told_.reset();
  if (n == 0) {
    // Also when it was killed meanwhile; then nobody is told that it began.
    if (!killing_) report({warden_report::event::started, leader_});
    return true;
  }
  ::waitpid(leader_, nullptr, 0);
  report({f.what, f.error});
  return false;
}

void warden::watch() {
  for (bool rung = false;;) {
    reap(rung || killing_);
    if (all_gone()) break;
    if (killing_) kill_all();
    std::array<pollfd, 3> all{
        {{signals_, POLLIN, 0}, {orphan_ ? -1 : control_, POLLIN, 0}, {told_.get(), POLLIN, 0}}};
    if (::poll(all.data(), all.size(), killing_ ? pause_ms_ : -1) < 0) {
      // Never leave anything behind because of a bug of ours.
      if (errno != EINTR) killing_ = true;
      rung = true;
      continue;
    }
    rung = read_child_signals(signals_);
    if (all[2].revents && !hear_child()) return;
    if (all[1].revents) obey();
  }
  report({warden_report::event::gone, 0});
}

void warden::obey() {
  char orders[16];
  const auto n = ::recv(control_, orders, sizeof orders, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    // The shim has lost interest, or its life.
    killing_ = orphan_ = true;
    return;
  }
  for (ssize_t i = 0; i < n; ++i) {
    if (orders[i] == static_cast<char>(warden_order::kill)) killing_ = true;
    if (orders[i] != static_cast<char>(warden_order::terminate) || reaped_) continue;
    ::kill(-leader_, SIGTERM);
    ::kill(-leader_, SIGCONT);  // a stopped process would not hear of it
  }
}

/// Reaps what fell to us. The leader stays a zombie as long as there may be others: its number is
/// that of the group.
void warden::reap(bool rung) {
  // As long as its word is not heard it can not be told that it has ended.
  if (!exited_ && !told_) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == leader_) {
      exited_ = true;
      report(
          {info.si_code == CLD_EXITED ? warden_report::event::exited : warden_report::event::killed,
           info.si_status});
    }
  }
  if (!rung) return;
  for (const auto pid : children_of(::getpid()))
    if (pid != leader_) ::waitpid(pid, nullptr, WNOHANG);
}

bool warden::all_gone() {
  if (!exited_) return false;
  if (!reaped_) {
    const auto left = children_of(::getpid());
    if (std::ranges::any_of(left, [this](pid_t pid) { return pid != leader_; })) return false;
    ::waitpid(leader_, nullptr, 0);
    reaped_ = true;
  }
  // The kernel's own word: no child, so no descendant.
  for (;;) {
    const auto pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid > 0) continue;
    return pid < 0 && errno == ECHILD;
  }
}

void warden::kill_all() {
  if (!reaped_) ::kill(-leader_, SIGKILL);
  kill_descendants({}, leader_);
  pause_ms_ = std::min(2 * pause_ms_, most_kill_pause_ms);
}

}  // namespace

void run_warden(child_ends ends, const command& c, const rlimit& files) {
  name_process("gate-warden");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  warden w(ends.control.get());
  const int control = ends.control.release();
  static_cast<void>(control);  // open until this process ends
  if (w.start(std::move(ends), c, files)) w.watch();
  ::_exit(0);
}

int child_signals() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool read_child_signals(int fd) {
  signalfd_siginfo info{};
  bool any = false;
  while (::read(fd, &info, sizeof info) > 0) any = true;
  return any;
}

void send_report(int socket, warden_report r) {
  static_cast<void>(::send(socket, &r, sizeof r, MSG_NOSIGNAL | MSG_DONTWAIT));
}

bool abandoned(int control) {
  pollfd p{control, POLLRDHUP, 0};
  return ::poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLRDHUP)) != 0;
}

void name_process(const char* name) {
  ::prctl(PR_SET_NAME, name);
  const auto& arguments = shown_memory().arguments;
  if (arguments.empty()) return;
  const auto kept = std::min(std::strlen(name), arguments.size() - 1);
  std::ranges::fill(arguments, '\0');
  std::memcpy(arguments.data(), name, kept);
}

void forget_environment() {
  const auto path = environment_variable("PATH");
  ::clearenv();
  if (path) ::setenv("PATH", path->c_str(), 1);
  // The kernel shows it from where it was when the program began.
  std::ranges::fill(shown_memory().environment, '\0');
}

}  // namespace gate::process
