#include "transport/process/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/process/process_tree.hpp"
#include "transport/process/warden.hpp"

namespace gate::process {
namespace {

/// The child's standard input, output and error, and the control socket.
constexpr std::size_t ends_sent = 4;
/// While something that a dead warden has left is being killed, it is looked for this often; ever
/// less often if it can not be killed (it changed its user).
constexpr int first_look_pause_ms = 20;
constexpr int most_look_pause_ms = 500;
/// Looks that find nothing, before nothing is taken to be there: a list of children that change may
/// lack some.
constexpr int quiet_looks = 3;

/// The first byte of what KEEPER says once, when it begins; why it is unfit follows.
constexpr char fit = '+';
constexpr char unfit = '-';

struct descriptors_message {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(ends_sent * sizeof(int))> room{};
  char byte = 'S';
  iovec data{&byte, 1};
  msghdr header{};

  descriptors_message() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = room.data();
    header.msg_controllen = room.size();
  }
  descriptors_message(const descriptors_message&) = delete;
  descriptors_message& operator=(const descriptors_message&) = delete;
};

bool send_descriptors(int socket, const std::array<int, ends_sent>& fds) {
  descriptors_message m;
  auto* c = CMSG_FIRSTHDR(&m.header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(c), fds.data(), sizeof fds);
  return ::sendmsg(socket, &m.header, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

enum class request : char { spawn, none, ended };

request receive_request(int socket, child_ends& out) {
  descriptors_message m;
  const auto n = ::recvmsg(socket, &m.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (n == 0) return request::ended;
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) return request::none;
    if (errno != ENOMEM && errno != ENOBUFS) return request::ended;
    ::poll(nullptr, 0, first_look_pause_ms);  // the system is short of memory, the shim is not gone
    return request::none;
  }
  std::array<int, ends_sent> fds{-1, -1, -1, -1};
  for (auto* c = CMSG_FIRSTHDR(&m.header); c; c = CMSG_NXTHDR(&m.header, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      std::memcpy(fds.data(), CMSG_DATA(c), std::min(sizeof fds, c->cmsg_len - CMSG_LEN(0)));
  out.input = descriptor(fds[0]);
  out.output = descriptor(fds[1]);
  out.error = descriptor(fds[2]);
  out.control = descriptor(fds[3]);
  // Without all four (our own limit of open files) nobody could be told anything: the shim sees the
  // control socket end.
  return fds[3] >= 0 ? request::spawn : request::none;
}

/// KEEPER's whole life.
class keeping {
 public:
  keeping(int socket, int signals, const command& c)
      : socket_(socket), signals_(signals), command_(c) {
    // It holds a descriptor for each session. Children have the limit that the shim was given.
    ::getrlimit(RLIMIT_NOFILE, &childrens_limit_);
    const rlimit most{childrens_limit_.rlim_max, childrens_limit_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &most);
  }

  void run() {
    for (;;) {
      const bool childless = reap();
      if (ended_ && childless) return;
      const bool last = ended_ && wardens_.empty();
      if (hunting_ || last) hunt();
      std::array<pollfd, 2> all{{{signals_, POLLIN, 0}, {ended_ ? -1 : socket_, POLLIN, 0}}};
      ::poll(all.data(), all.size(), hunting_ || last ? pause_ms_ : -1);
      read_child_signals(signals_);
      if (all[1].revents) serve();
    }
  }

 private:
  void serve() {
    child_ends ends;
    switch (receive_request(socket_, ends)) {
      case request::ended:
        ended_ = true;  // the wardens know it as well
        return;
      case request::none:
        return;
      case request::spawn:
        break;
    }
    if (abandoned(ends.control.get()))
      return send_report(ends.control.get(), {warden_report::event::gone, 0});
    const auto pid = ::fork();
    if (pid == 0) {
      ::close(socket_);
      ::close(signals_);
      // Not destroyed: that would write to memory which all wardens share until they do.
      for (const auto& w : wardens_) ::close(w.control.get());
      for (const auto& control : bereaved_) ::close(control.get());
      run_warden(std::move(ends), command_, childrens_limit_);
    }
    if (pid < 0)
      send_report(ends.control.get(), {warden_report::event::failed_fork, errno});
    else
      wardens_.push_back({pid, std::move(ends.control)});
  }

  /// True: no child is left, by the kernel's own word.
  bool reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
      const auto it = std::ranges::find(wardens_, pid, &guard::pid);
      if (it == wardens_.end()) {
        hunt_on();  // its children come to us
        continue;
      }
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        // It was killed, and has left something behind, which is ours now.
        bereaved_.push_back(std::move(it->control));
        hunt_on();
      }
      std::swap(*it, wardens_.back());
      wardens_.pop_back();
    }
    return pid < 0 && errno == ECHILD;
  }

  void hunt_on() {
    hunting_ = true;
    quiet_ = 0;
    pause_ms_ = first_look_pause_ms;
  }

  /// Kills everything below us that is no warden, nor below one.
  void hunt() {
    std::set<pid_t> spared;
    for (const auto& w : wardens_) spared.insert(w.pid);
    if (kill_descendants(spared) > 0) {
      quiet_ = 0;
      pause_ms_ = std::min(2 * pause_ms_, most_look_pause_ms);
      return;
    }
    if (++quiet_ < quiet_looks) return;
    hunting_ = false;
    for (const auto& control : bereaved_)
      send_report(control.get(), {warden_report::event::gone, 0});
    bereaved_.clear();
  }

  int socket_, signals_;
  const command& command_;
  rlimit childrens_limit_{};
  /// A warden, with its end of its control socket: should it be killed, the shim sees no end of it
  /// before nothing is left of what it had.
  struct guard {
    pid_t pid;
    descriptor control;
  };
  std::vector<guard> wardens_;
  std::vector<descriptor> bereaved_;  ///< of wardens that were killed
  bool ended_ = false;                ///< the shim is gone
  bool hunting_ = false;              ///< a warden died before its time
  int quiet_ = 0;
  int pause_ms_ = first_look_pause_ms;
};

void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  const auto open_most = ::sysconf(_SC_OPEN_MAX);
  const auto end =
      open_most < 0 ? limits::child_inherited : std::min<long>(open_most, limits::child_inherited);
  for (int fd = first; fd < end; ++fd) ::close(fd);
}

/// What the system does not let us do; empty: everything that is needed.
std::string lacking(int signals) {
  if (signals < 0) return std::string("signalfd: ") + std::strerror(errno);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    return std::string("PR_SET_CHILD_SUBREAPER: ") + std::strerror(errno);
  if (!processes_are_shown()) return "/proc shows no processes: is it mounted?";
  return {};
}

[[noreturn]] void run_keeper(descriptor theirs, descriptor ours, const command& c) {
  ours.reset();  // or the end of the shim would not be the end of the socket
  name_process("gate-keeper");
  forget_environment();
  ::setsid();
  for (const int s : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) std::signal(s, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_SETMASK, &child, nullptr);
  std::signal(SIGCHLD, SIG_DFL);
  constexpr int place = 3;
  ::dup2(theirs.release(), place);
  close_from(place + 1);
  ::fcntl(place, F_SETFD, FD_CLOEXEC);
  // Whoever reads what the shim prints must not wait for us; sanitizers may still complain.
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, 0);
    ::dup2(null, 1);
  }
  const int signals = child_signals();
  const auto wrong = lacking(signals);
  const auto word = (wrong.empty() ? fit : unfit) + wrong;
  static_cast<void>(::send(place, word.data(), word.size(), MSG_NOSIGNAL));
  if (wrong.empty()) keeping(place, signals, c).run();
  ::_exit(0);
}

problem of(const char* what, int error) {
  return {std::string(what) + ": " + std::strerror(error)};
}

bool make_pipe(descriptor& read, descriptor& write) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return false;
  read = descriptor(fds[0]);
  write = descriptor(fds[1]);
  return true;
}

/// A program may be started without standard input, output or error; then what it opens first would
/// be taken for them.
void fill_standard_descriptors() {
  int fd = 0;
  while (fd >= 0 && fd <= 2) fd = ::open("/dev/null", O_RDWR);
  if (fd > 2) ::close(fd);
}

void dont_block(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

void descriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

result<std::shared_ptr<keeper>> keeper::start(command c) {
  fill_standard_descriptors();
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return of("can not make a socket for the process that starts children", errno);
  descriptor ours(fds[0]), theirs(fds[1]);
  const auto pid = ::fork();
  if (pid < 0) return of("can not make the process that starts children", errno);
  if (pid == 0) run_keeper(std::move(theirs), std::move(ours), c);
  theirs.reset();
  auto program = c.arguments.empty() ? std::string{} : c.arguments.front();
  std::shared_ptr<keeper> out(new keeper(std::move(ours), pid, std::move(program)));
  std::array<char, 512> word{};
  ssize_t n = 0;
  while ((n = ::recv(out->socket_.get(), word.data(), word.size(), 0)) < 0 && errno == EINTR) {
  }
  if (n <= 0) return problem{"the process that starts children ended at once"};
  if (word[0] == fit) return out;
  return problem{"can not watch over child processes: " +
                 std::string(word.data() + 1, static_cast<std::size_t>(n) - 1)};
}

keeper::~keeper() {
  socket_.reset();
  reap();
}

void keeper::reap() {
  if (std::exchange(reaped_, true)) return;
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

result<child_ends> keeper::spawn() {
  child_ends ours, theirs;
  int control[2];
  if (!make_pipe(theirs.input, ours.input) || !make_pipe(ours.output, theirs.output) ||
      !make_pipe(ours.error, theirs.error) ||
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
    return of("can not make pipes for a child", errno);
  ours.control = descriptor(control[0]);
  theirs.control = descriptor(control[1]);
  for (const auto* d : {&ours.control, &ours.input, &ours.output, &ours.error})
    dont_block(d->get());
  ours.program = program_;
  waiting_.push_back(std::move(theirs));
  flush();
  return ours;
}

ssize_t receive_report(int socket, warden_report& into) {
  const auto n = ::recv(socket, &into, sizeof into, MSG_DONTWAIT);
  if (n >= 0 || errno != ECONNRESET) return n;
  return ::recv(socket, &into, sizeof into, MSG_DONTWAIT);
}

descriptor keeper::life() const {
  return descriptor(::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0));
}

bool keeper::flush() {
  while (!waiting_.empty()) {
    const auto& w = waiting_.front();
    const bool sent = send_descriptors(
        socket_.get(), {w.input.get(), w.output.get(), w.error.get(), w.control.get()});
    // Its socket holds a few hundred requests, and as many descriptors as may be on the way. Any
    // other failure means that it is gone: the end of the control socket tells whoever waits.
    if (!sent && (errno == EAGAIN || errno == ETOOMANYREFS || errno == ENOBUFS)) return false;
    waiting_.pop_front();
  }
  return true;
}

}  // namespace gate::process
