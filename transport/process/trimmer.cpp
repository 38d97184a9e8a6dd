#include "transport/process/trimmer.hpp"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace gate::process {

memory_use look_at_memory() {
  const auto heap = ::mallinfo2();
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  if (!(in >> all >> resident)) resident = 0;
  return {resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
          heap.uordblks + heap.hblkhd};
}

/// The first look is taken before there is a thread: a C library whose allocator nobody has used
/// yet, since a sanitizer has one of its own, would have two threads set it up at the same time.
trimmer::trimmer() : thread_([this, begun = look_at_memory()] { run(begun); }) {}

trimmer::~trimmer() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void trimmer::run(memory_use begun) {
  trim_rule rule;
  rule.trimmed(begun);  // before anybody came
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, limits::trim_pause, [this] { return ending_; })) {
    if (!rule.is_time(look_at_memory())) continue;
    lock.unlock();
    ::malloc_trim(0);
    lock.lock();
    rule.trimmed(look_at_memory());
  }
}

}  // namespace gate::process
