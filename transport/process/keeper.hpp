#pragma once
/// KEEPER: the process that starts all child processes, and sees to it that none outlives this one
/// (decision 0012). It is forked before this process has a second thread, and knows the command
/// from then on. For each child it forks a warden, which forks the child, reaps whatever falls to
/// it, and kills everything below it when it is told to, or when this process is gone.
///
/// Made by main; asked by CHILDREN, from one thread at a time.
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::process {

/// What every child runs.
struct command {
  std::vector<std::string> arguments;    ///< the program, looked up in our own PATH, and the rest
  std::string directory;                 ///< empty: ours
  std::vector<std::string> environment;  ///< `NAME=value`; the child has no other variables
};

/// A file descriptor that is closed with its owner.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// What a warden says, in this order: `started` or `failed` (then nothing more), `exited`, `gone`.
/// Of a child that was killed before it ran only the last two; of a warden that was killed KEEPER
/// says `gone`.
struct warden_report {
  enum class event : std::int32_t {
    started,            ///< `value`: the child's process id
    failed_directory,   ///< `value`: errno of entering the working directory
    failed_executable,  ///< `value`: errno of executing the command
    failed_fork,        ///< `value`: errno of making a process
    exited,             ///< the child ended by itself; `value`: its exit code
    killed,             ///< the child was ended by a signal; `value`: which
    gone,               ///< nothing of it is left
  } what = event::gone;
  std::int32_t value = 0;
};

/// Receives one, without waiting; as `recv` it returns its size, 0 at the end, or -1. A peer that
/// has closed with an order unread is told first, as an error, and what it had said comes after.
ssize_t receive_report(int socket, warden_report& into);

/// What a warden is told: one byte. The end of the socket means `kill`, and nobody to report to.
enum class warden_order : char {
  terminate = 'T',  ///< SIGTERM to the process group
  kill = 'K',       ///< SIGKILL to everything, until nothing is left
};

/// Our ends of one child's pipes, non-blocking; and of the socket to its warden.
struct child_ends {
  descriptor control, input, output, error;
  std::string program;  ///< what it runs, for messages
};

class keeper {
 public:
  /// Forks. This process must have one thread only. Fails where the system does not let KEEPER do
  /// what it promises.
  static result<std::shared_ptr<keeper>> start(command c);
  /// Lets KEEPER go, which kills what still runs, and waits until it has ended.
  ~keeper();
  keeper(const keeper&) = delete;
  keeper& operator=(const keeper&) = delete;

  /// Has one more child started. Never blocks: whether it runs, its warden will say. If too many
  /// are asked for at a time, this one waits here for `flush`.
  result<child_ends> spawn();
  /// Asks for those that wait; false if some still do: try again in a moment.
  bool flush();
  /// Becomes readable when KEEPER has ended, which it never does by itself. To be closed before
  /// this is destroyed, which else waits for ever.
  descriptor life() const;
  /// It has ended: leaves no zombie.
  void reap();
  /// KEEPER itself, for tests.
  pid_t pid() const { return pid_; }

 private:
  keeper(descriptor socket, pid_t pid, std::string program)
      : socket_(std::move(socket)), pid_(pid), program_(std::move(program)) {}
  descriptor socket_;
  pid_t pid_;
  std::string program_;
  bool reaped_ = false;
  std::deque<child_ends> waiting_;  ///< the children's ends
};

}  // namespace gate::process
