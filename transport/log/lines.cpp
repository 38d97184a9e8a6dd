#include "transport/lines.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate {
namespace {

/// The writer gathers lines for this long before it writes again: one system call for many.
constexpr std::chrono::milliseconds gather{10};

}  // namespace

struct line_writer::state {
  state(int fd, std::size_t most, std::size_t most_bytes)
      : fd(fd), most(most), most_bytes(most_bytes), thread([this] { run(); }) {}

  void run() {
    // A reader that is gone is an error of write(), not the end of the process.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    std::unique_lock lock(mutex);
    std::string block;
    std::string_view left;
    for (;;) {
      wake.wait(lock, [this] { return stopping || !lines.empty(); });
      if (lines.empty()) break;
      if (!stopping) wake.wait_for(lock, gather, [this] { return stopping; });
      block.clear();
      while (!lines.empty() && block.size() < 256 * 1024) {
        block += lines.front();
        pop();
      }
      writing = true;
      lock.unlock();
      left = block;
      const bool ok = put(left);
      lock.lock();
      writing = false;
      if (lines.empty()) idle.notify_all();
      if (!ok) break;
    }
    broken = true;
    lost = lines.size() + static_cast<std::size_t>(std::count(left.begin(), left.end(), '\n'));
    const auto count = lost;
    lines.clear();
    bytes = 0;
    idle.notify_all();
    lock.unlock();
    if (count > 0)
      log::error(
          "Lines can not be written any more; these and all that follow are dropped.",
          {{"descriptor", std::to_string(fd)},
           {"dropped", std::to_string(count)},
           {"error", gave_up ? "the reader is stuck" : std::generic_category().message(error)}});
  }

  void pop() {
    bytes -= lines.front().size();
    lines.pop_front();
  }

  /// False when nobody will ever read: the other end is closed, or stuck while we are stopping. The
  /// descriptor may be a blocking one, and is not ours to change: so it is asked before each write,
  /// and given no more than what a pipe that has room takes at once.
  /// `text` keeps what was not written.
  bool put(std::string_view& text) {
    while (!text.empty()) {
      pollfd p{fd, POLLOUT, 0};
      if (::poll(&p, 1, 100) <= 0) {
        if (gave_up) return false;
        continue;
      }
      const auto n = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
      if (n > 0)
        text.remove_prefix(static_cast<std::size_t>(n));
      else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        return error = errno, false;
    }
    return true;
  }

  int fd;
  std::size_t most, most_bytes;
  std::mutex mutex;
  std::condition_variable wake, idle;
  std::deque<std::string> lines;
  std::size_t bytes = 0;  ///< of `lines`
  bool stopping = false;
  bool writing = false;
  bool broken = false;
  std::size_t lost = 0;  ///< dropped when it broke, not yet reported by `write`
  int error = 0;
  std::atomic<bool> gave_up{false};
  std::thread thread;
};

line_writer::line_writer(int fd, std::size_t max_lines, std::size_t max_bytes)
    : state_(std::make_unique<state>(fd, max_lines, max_bytes)) {}

line_writer::~line_writer() {
  flush();
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    if (!state_->lines.empty() || state_->writing) state_->gave_up = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
}

std::size_t line_writer::write(std::string_view line) {
  std::lock_guard lock(state_->mutex);
  if (state_->broken) return 1 + std::exchange(state_->lost, 0);
  if (line.size() > state_->most_bytes) return 1;
  std::size_t dropped = 0;
  while (!state_->lines.empty() && (state_->lines.size() >= state_->most ||
                                    state_->bytes > state_->most_bytes - line.size())) {
    state_->pop();
    ++dropped;
  }
  const bool first = state_->lines.empty();
  state_->lines.emplace_back(line);
  state_->bytes += line.size();
  if (first) state_->wake.notify_one();
  return dropped;
}

void line_writer::flush() {
  std::unique_lock lock(state_->mutex);
  state_->idle.wait_for(lock, limits::lines_flush, [this] {
    return state_->broken || (state_->lines.empty() && !state_->writing);
  });
}

}  // namespace gate
