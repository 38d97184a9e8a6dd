#include "transport/process/trimmer.hpp"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace gate::process {

std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  if (!(in >> all >> resident)) return 0;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

trimmer::trimmer() : thread_([this] { run(); }) {}

trimmer::~trimmer() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void trimmer::run() {
  trim_rule rule;
  rule.trimmed(resident_bytes());  // before anybody came
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, limits::trim_pause, [this] { return ending_; })) {
    if (!rule.is_time(resident_bytes())) continue;
    lock.unlock();
    ::malloc_trim(0);
    lock.lock();
    rule.trimmed(resident_bytes());
  }
}

}  // namespace gate::process
