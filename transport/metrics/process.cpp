#include "transport/metrics/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gate {
namespace {

prometheus::Gauge& gauge(prometheus::Registry& r, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(r).Add({});
}

prometheus::Counter& counter(prometheus::Registry& r, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(r).Add({});
}

/// Fields of /proc/self/stat after the command name, which may contain blanks and parentheses:
/// field 3 of proc(5) is element 0.
std::vector<std::string> stat_fields() {
  std::ifstream in("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto end_of_name = text.rfind(')');
  std::vector<std::string> out;
  if (end_of_name == std::string::npos) return out;
  std::istringstream rest(text.substr(end_of_name + 1));
  for (std::string field; rest >> field;) out.push_back(field);
  return out;
}

double boot_time() {
  std::ifstream in("/proc/stat");
  for (std::string key; in >> key;) {
    if (key == "btime") {
      double seconds = 0;
      in >> seconds;
      return seconds;
    }
    in.ignore(1 << 20, '\n');
  }
  return 0;
}

}  // namespace

process_collector::process_collector(prometheus::Registry& r)
    : cpu_seconds_(counter(r, "process_cpu_seconds_total", "User and system CPU time.")),
      resident_bytes_(gauge(r, "process_resident_memory_bytes", "Resident memory.")),
      virtual_bytes_(gauge(r, "process_virtual_memory_bytes", "Virtual memory.")),
      open_fds_(gauge(r, "process_open_fds", "Open file descriptors.")),
      max_fds_(gauge(r, "process_max_fds", "Limit of open file descriptors.")),
      threads_(gauge(r, "process_threads", "Threads of the process.")),
      start_time_(gauge(r, "process_start_time_seconds", "Start time since the epoch.")) {}

void process_collector::refresh() {
  std::lock_guard lock(refreshing_);
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto f = stat_fields();
  constexpr std::size_t utime = 11, stime = 12, threads = 17, start = 19, vsize = 20, rss = 21;
  if (f.size() > rss) {
    const auto cpu = (std::stod(f[utime]) + std::stod(f[stime])) / ticks;
    cpu_seconds_.Increment(std::max(0.0, cpu - cpu_seconds_.Value()));
    threads_.Set(std::stod(f[threads]));
    virtual_bytes_.Set(std::stod(f[vsize]));
    resident_bytes_.Set(std::stod(f[rss]) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    start_time_.Set(boot_time() + std::stod(f[start]) / ticks);
  }
  std::error_code ec;
  double open = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", ec), end; !ec && it != end;
       it.increment(ec))
    ++open;
  if (!ec) open_fds_.Set(open);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) max_fds_.Set(static_cast<double>(limit.rlim_cur));
}

}  // namespace gate
