#include "transport/doors/program_actor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <caf/send.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "protocol/limits/client_files.hpp"

namespace gate::doors {
namespace {

using boost::system::error_code;

constexpr std::size_t read_bytes = 16 * 1024;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

int descriptor_of_end(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

/// In the new process, which shares nothing with our other threads any more: calls that are safe
/// there and no others. Returns only if the program could not be executed.
void turn_into(int standard_error, pid_t parent, char* const* command, char* const* environment) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
  // It may be sent one before it can take it.
  ::signal(SIGHUP, SIG_IGN);
  // A terminal's Ctrl-C is for gate-up, which ends the others in order.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(standard_error, STDERR_FILENO);
  ::execve(command[0], command, environment);
}

}  // namespace

program_actor::program_actor(caf::actor_config& cfg, scheduler::io_unit* unit, program_spec what,
                             program_user user)
    : pinned(cfg, unit),
      io_(*unit),
      spec_(std::move(what)),
      user_(std::move(user)),
      error_(unit->context()),
      life_(unit->context()),
      lines_(limits::program_line_bytes, stdio::beyond::cut) {
  set_down_handler([this](const caf::down_msg&) {
    user_ = nullptr;
    if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL);
  });
}

program_actor::behavior_type program_actor::make_behavior() {
  monitor(user_);
  auto why = start();
  if (why.empty()) {
    send(user_, program_started{pid_});
    wait(error_, &program_actor::read_error);
    wait(life_, &program_actor::look_at_end);
  } else {
    send(user_, program_failed{std::move(why)});
    caf::anon_send_exit(this, caf::exit_reason::user_shutdown);
  }
  return {[this](const signal_program& m) {
    // Not reaped before it is told: the number is still that process's.
    if (pid_ > 0 && !ended_) ::kill(pid_, m.number);
  }};
}

void program_actor::on_exit() {
  error_code ec;
  error_.close(ec);
  life_.close(ec);
  user_ = nullptr;
}

std::string program_actor::start() {
  const auto wrong = [](std::string_view what) {
    return std::string(what) + ": " + std::strerror(errno);
  };
  std::array<int, 2> said{}, failed{};
  if (::pipe2(said.data(), O_CLOEXEC) != 0) return wrong("can not make a pipe");
  if (::pipe2(failed.data(), O_CLOEXEC) != 0) {
    auto why = wrong("can not make a pipe");
    for (const int fd : said) ::close(fd);
    return why;
  }
  const auto command = pointers_to(spec_.command);
  const auto environment = pointers_to(spec_.environment);
  const auto parent = ::getpid();
  const auto pid = ::fork();
  if (pid == 0) {
    turn_into(said[1], parent, command.data(), environment.data());
    const int why = errno;
    static_cast<void>(::write(failed[1], &why, sizeof why));
    ::_exit(127);
  }
  auto why = pid < 0 ? wrong("can not make a process") : std::string();
  ::close(said[1]);
  ::close(failed[1]);
  int error = 0;
  // Ends at once: with the program's execution, or with why there is none.
  if (pid > 0 && ::read(failed[0], &error, sizeof error) == sizeof error)
    why = "can not execute " + spec_.command.front() + ": " + std::strerror(error);
  ::close(failed[0]);
  const int life = pid > 0 && why.empty() ? descriptor_of_end(pid) : -1;
  if (pid > 0 && why.empty() && life < 0) {
    why = wrong("can not watch over a process");
    ::kill(pid, SIGKILL);
  }
  if (!why.empty()) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    ::close(said[0]);
    return why;
  }
  pid_ = pid;
  ::fcntl(said[0], F_SETFL, O_NONBLOCK);
  error_.assign(said[0]);
  life_.assign(life);
  return {};
}

void program_actor::wait(pipe& on, void (program_actor::*then)()) {
  on.async_wait(pipe::wait_read,
                [this, then, self = caf::strong_actor_ptr{ctrl()}, &on](error_code ec) {
                  const scheduler::handler_scope scope(io_);
                  if (!ec && on.is_open()) (this->*then)();
                });
}

void program_actor::read_error() {
  std::array<char, read_bytes> buffer{};
  const auto n = ::read(error_.native_handle(), buffer.data(), buffer.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return wait(error_, &program_actor::read_error);
  const auto take = [this](std::string line) { told_.push_back(std::move(line)); };
  if (n > 0) {
    lines_.feed({buffer.data(), static_cast<std::size_t>(n)}, take);
    tell(false);
    return wait(error_, &program_actor::read_error);
  }
  lines_.finish(take);
  tell(true);
}

void program_actor::tell(bool last) {
  if (!told_.empty() && user_) send(user_, program_said{std::exchange(told_, {})});
  told_.clear();
  if (!last) return;
  error_code ec;
  error_.close(ec);
  end_if_done();
}

void program_actor::look_at_end() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
    return wait(life_, &program_actor::look_at_end);
  ended_ = true;
  how_ = {info.si_status, info.si_code != CLD_EXITED};
  error_code ec;
  life_.close(ec);
  // Somebody it has left behind may hold the pipe: what is in it by now is all that is told.
  if (error_.is_open()) {
    std::array<char, read_bytes> buffer{};
    for (std::size_t round = 0; round < 64; ++round) {
      const auto n = ::read(error_.native_handle(), buffer.data(), buffer.size());
      if (n <= 0) break;
      lines_.feed({buffer.data(), static_cast<std::size_t>(n)},
                  [this](std::string line) { told_.push_back(std::move(line)); });
    }
    lines_.finish([this](std::string line) { told_.push_back(std::move(line)); });
    return tell(true);
  }
  end_if_done();
}

void program_actor::end_if_done() {
  if (!ended_ || error_.is_open()) return;
  if (user_) send(user_, how_);
  caf::anon_send_exit(this, caf::exit_reason::user_shutdown);
}

}  // namespace gate::doors

namespace gate {

program_handle spawn_program(caf::actor_system& system, caf::execution_unit* unit,
                             program_spec what, program_user user) {
  // All units of a runtime are I/O threads.
  return system.spawn<doors::program_actor>(static_cast<scheduler::io_unit*>(unit), std::move(what),
                                            std::move(user));
}

}  // namespace gate
