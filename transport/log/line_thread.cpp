#include "transport/log/line_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "protocol/limits.hpp"

namespace gate {
line_thread::line_thread(std::unique_ptr<line_outlet> to, line_bounds most)
    : to_(std::move(to)), most_(most), thread_([this] { run(); }) {}

line_thread::~line_thread() {
  flush();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!lines_.empty() || writing_) hurry_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

lost_lines line_thread::write(std::string_view line) {
  std::lock_guard lock(mutex_);
  lost_lines out{0, std::exchange(failed_, 0)};
  if (over_) return ++out.failed, out;
  if (line.size() > most_.bytes) return ++out.overflow, out;
  while (!lines_.empty() && (lines_.size() >= most_.lines || bytes_ > most_.bytes - line.size())) {
    pop();
    ++out.overflow;
  }
  const bool first = lines_.empty();
  lines_.emplace_back(line);
  bytes_ += line.size();
  if (first) wake_.notify_one();
  return out;
}

void line_thread::flush() {
  std::unique_lock lock(mutex_);
  idle_.wait_for(lock, limits::lines_flush,
                 [this] { return over_ || (lines_.empty() && !writing_); });
}

void line_thread::flush(std::function<void()> done) {
  {
    std::lock_guard lock(mutex_);
    if (!over_ && (!lines_.empty() || writing_)) {
      flushing_.push_back(std::move(done));
      return;
    }
  }
  done();
}

void line_thread::nudge() {
  {
    std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  wake_.notify_one();
}

void line_thread::run() {
  // A reader that is gone is an error of write(), and so is a file that is as large as this process
  // may make one: not the end of the process.
  sigset_t not_for_us;
  sigemptyset(&not_for_us);
  sigaddset(&not_for_us, SIGPIPE);
  sigaddset(&not_for_us, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &not_for_us, nullptr);
  std::unique_lock lock(mutex_);
  std::string block;
  while (!over_) {
    wake_.wait(lock, [this] { return stopping_ || nudged_ || !lines_.empty(); });
    const bool nudged = std::exchange(nudged_, false);
    if (lines_.empty() && !nudged) break;
    if (!stopping_ && !nudged)
      wake_.wait_for(lock, limits::lines_gather, [this] { return stopping_; });
    take_block(block);
    writing_ = true;
    lock.unlock();
    if (nudged) to_->nudged();
    const auto how = block.empty() ? line_outlet::outcome{} : to_->put(block, hurry_);
    lock.lock();
    writing_ = false;
    over_ = how.over;
    failed_ += how.lost;
    if (over_) break;
    if (lines_.empty()) tell_idle(lock);
  }
  const bool at_the_end = !over_;
  over_ = true;
  failed_ += lines_.size();
  lines_.clear();
  bytes_ = 0;
  const auto count = failed_;
  tell_idle(lock);
  lock.unlock();
  if (!at_the_end && count > 0) to_->told_over(count);
}

void line_thread::take_block(std::string& into) {
  into.clear();
  while (!lines_.empty() && into.size() < limits::lines_at_once_bytes) {
    into += lines_.front();
    pop();
  }
}

void line_thread::tell_idle(std::unique_lock<std::mutex>& lock) {
  idle_.notify_all();
  const auto all = std::exchange(flushing_, {});
  if (all.empty()) return;
  lock.unlock();
  for (const auto& done : all) done();
  lock.lock();
}

void line_thread::pop() {
  bytes_ -= lines_.front().size();
  lines_.pop_front();
}

}  // namespace gate
