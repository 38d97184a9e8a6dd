#include "transport/process/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>

#include "transport/process/process_tree.hpp"
#include "transport/process/warden.hpp"

namespace gate::process {
namespace {

/// The child's standard input, output and error, and the control socket.
constexpr std::size_t ends_sent = 4;
/// While something that a dead warden has left is being killed, it is looked for this often.
constexpr int hunting_pause_ms = 20;

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
  if (n < 0) return errno == EAGAIN || errno == EINTR ? request::none : request::ended;
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
  keeping(int socket, const command& c) : socket_(socket), command_(c), signals_(child_signals()) {}

  void run() {
    for (;;) {
      reap();
      if (hunting_) hunt();
      if (ended_ && wardens_.empty() && !hunting_) return;
      std::array<pollfd, 2> all{{{signals_, POLLIN, 0}, {socket_, POLLIN, 0}}};
      ::poll(all.data(), ended_ ? 1 : 2, hunting_ ? hunting_pause_ms : -1);
      read_child_signals(signals_);
      if (!ended_ && all[1].revents) serve();
    }
  }

 private:
  void serve() {
    child_ends ends;
    switch (receive_request(socket_, ends)) {
      case request::ended:
        ended_ = true;  // the wardens know it as well
        hunting_ = true;
        return;
      case request::none:
        return;
      case request::spawn:
        break;
    }
    const auto pid = ::fork();
    if (pid == 0) {
      ::close(socket_);
      ::close(signals_);
      run_warden(std::move(ends), command_);
    }
    if (pid < 0)
      send_report(ends.control.get(), {warden_report::event::failed_fork, errno});
    else
      wardens_.insert(pid);
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      // A warden that was killed has left something behind, which is ours now.
      if (wardens_.erase(pid) > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        hunting_ = true;
    }
  }

  /// Kills every child of ours that is no warden; their own children come to us next.
  void hunt() {
    hunting_ = false;
    for (const auto pid : children_of(::getpid())) {
      if (wardens_.contains(pid)) continue;
      hunting_ = true;
      for (const auto& d : descendants_of(pid)) signal_exactly(d, SIGKILL);
      signal_exactly({pid, ::getpid()}, SIGKILL);
    }
    reap();
  }

  int socket_;
  const command& command_;
  int signals_;
  std::set<pid_t> wardens_;
  bool ended_ = false;    ///< the shim is gone
  bool hunting_ = false;  ///< a warden died before its time
};

[[noreturn]] void run_keeper(int socket, const command& c) {
  name_process("gate-keeper");
  ::setsid();
  for (const int s : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) std::signal(s, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_SETMASK, &child, nullptr);
  std::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  constexpr int place = 3;
  ::dup2(socket, place);
  ::close_range(place + 1, ~0U, 0);
  ::fcntl(place, F_SETFD, FD_CLOEXEC);
  // Whoever reads what the shim prints must not wait for us; sanitizers may still complain.
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, 0);
    ::dup2(null, 1);
  }
  keeping(place, c).run();
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
  if (pid == 0) run_keeper(theirs.get(), c);
  return std::shared_ptr<keeper>(new keeper(std::move(ours), pid));
}

keeper::~keeper() {
  socket_.reset();
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
  waiting_.push_back(std::move(theirs));
  flush();
  return ours;
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
