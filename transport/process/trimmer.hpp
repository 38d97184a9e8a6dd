#pragma once
/// TRIMMER: a thread that has the allocator give memory back when a peak is over. By itself it
/// keeps what was freed, for ever if something small was allocated behind it. Made by the runtime,
/// where the process is its own.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <thread>

#include "protocol/limits.hpp"

namespace gate::process {

/// When it is worth it. Pure.
class trim_rule {
 public:
  /// So much is in memory now.
  bool is_time(std::size_t resident) {
    const bool grows = resident > last_ + still;
    last_ = resident;
    low_ = std::min(low_, resident);
    return !grows && resident >= low_ + limits::trim_worth;
  }
  /// So much is left. What was given back little has it in use: next time it must have grown.
  void trimmed(std::size_t resident) { low_ = last_ = resident; }

 private:
  static constexpr std::size_t still = 1024 * 1024;
  std::size_t last_ = 0;
  std::size_t low_ = std::numeric_limits<std::size_t>::max();
};

class trimmer {
 public:
  trimmer();
  ~trimmer();
  trimmer(const trimmer&) = delete;
  trimmer& operator=(const trimmer&) = delete;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;  ///< last: it uses the others
};

/// Bytes of this process that are in memory; 0 if the system does not tell.
std::size_t resident_bytes();

}  // namespace gate::process
