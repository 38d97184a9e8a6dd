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

/// Bytes of this process. (What `in_use` says of free ones would not do: those that were given back
/// stay free.)
struct memory_use {
  std::size_t resident = 0;  ///< that are in memory; 0 if the system does not tell
  std::size_t in_use = 0;    ///< of what the allocator has; 0 if it does not tell
};
memory_use look_at_memory();

/// When it is worth it, by what is in memory and not in use. Pure.
class trim_rule {
 public:
  bool is_time(const memory_use& now) {
    const auto spare = spare_of(now);
    const bool grows = spare > last_ + still;
    last_ = spare;
    low_ = std::min(low_, spare);
    return !grows && spare >= low_ + limits::trim_worth;
  }
  /// This is left. What of it is spare can not be given back: next time it must have grown.
  void trimmed(const memory_use& now) { low_ = last_ = spare_of(now); }

 private:
  static std::size_t spare_of(const memory_use& m) {
    return m.resident - std::min(m.in_use, m.resident);
  }
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
  void run(memory_use begun);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace gate::process
