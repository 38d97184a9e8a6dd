#pragma once
/// The thread behind line_writer and line_file (transport/lines.hpp), with its bounded queue.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "transport/lines.hpp"

namespace gate {

/// Where the lines go. Used by the thread alone.
class line_outlet {
 public:
  virtual ~line_outlet() = default;

  struct outcome {
    std::size_t lost = 0;  ///< lines of this text
    bool over = false;     ///< nothing will ever be written any more
  };
  /// Writes whole lines, which may take any time. `hurry`: the process waits for nobody any longer.
  virtual outcome put(std::string_view text, const std::atomic<bool>& hurry) = 0;
  /// `line_thread::nudge` was called.
  virtual void nudged() {}
  /// It is over, and so many lines were lost by that.
  virtual void told_over(std::size_t) {}
};

class line_thread {
 public:
  line_thread(std::unique_ptr<line_outlet> to, line_bounds most);
  ~line_thread();

  lost_lines write(std::string_view line);
  void flush();
  void flush(std::function<void()> done);
  void nudge();

 private:
  void run();
  void take_block(std::string& into);
  void pop();
  /// Nothing is left. Gives up the lock meanwhile.
  void tell_idle(std::unique_lock<std::mutex>& lock);

  std::unique_ptr<line_outlet> to_;
  line_bounds most_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;  ///< of `lines_`
  bool stopping_ = false;
  bool writing_ = false;
  bool nudged_ = false;
  bool over_ = false;
  std::vector<std::function<void()>> flushing_;  ///< whoever waits until nothing is left
  std::size_t failed_ = 0;                       ///< not yet reported by `write`
  std::atomic<bool> hurry_{false};
  std::thread thread_;
};

}  // namespace gate
