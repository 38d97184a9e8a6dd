#include "transport/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace gate {
namespace {

/// The writer gathers lines for this long before it writes again: one system call for many.
constexpr std::chrono::milliseconds gather{10};
/// A reader that is stuck holds up the end of the process no longer than this.
constexpr std::chrono::seconds patience{3};

}  // namespace

struct line_writer::state {
  state(int fd, std::size_t most) : fd(fd), most(most), thread([this] { run(); }) {}

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stopping || !lines.empty(); });
      if (lines.empty()) break;
      if (!stopping) wake.wait_for(lock, gather, [this] { return stopping; });
      std::string block;
      while (!lines.empty() && block.size() < 256 * 1024) {
        block += lines.front();
        lines.pop_front();
      }
      writing = true;
      lock.unlock();
      const bool ok = put(block);
      lock.lock();
      writing = false;
      if (lines.empty()) idle.notify_all();
      if (!ok) break;
    }
    broken = true;
    lines.clear();
    idle.notify_all();
  }

  /// False when nobody will ever read: the other end is closed, or stuck while we are stopping.
  bool put(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::write(fd, text.data(), text.size());
      if (n > 0) {
        text.remove_prefix(static_cast<std::size_t>(n));
      } else if (errno == EAGAIN || errno == EINTR) {
        pollfd p{fd, POLLOUT, 0};
        ::poll(&p, 1, 100);
        if (gave_up) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  int fd;
  std::size_t most;
  std::mutex mutex;
  std::condition_variable wake, idle;
  std::deque<std::string> lines;
  bool stopping = false;
  bool writing = false;
  bool broken = false;
  std::atomic<bool> gave_up{false};
  std::thread thread;
};

line_writer::line_writer(int fd, std::size_t max_lines)
    : state_(std::make_unique<state>(fd, max_lines)) {}

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
  if (state_->broken) return 1;
  std::size_t dropped = 0;
  while (state_->lines.size() >= state_->most) {
    state_->lines.pop_front();
    ++dropped;
  }
  const bool first = state_->lines.empty();
  state_->lines.emplace_back(line);
  if (first) state_->wake.notify_one();
  return dropped;
}

void line_writer::flush() {
  std::unique_lock lock(state_->mutex);
  state_->idle.wait_for(lock, patience, [this] {
    return state_->broken || (state_->lines.empty() && !state_->writing);
  });
}

}  // namespace gate
