#pragma once
/// The standard process collectors (process_*), which prometheus-cpp does not bring: read from
/// /proc/self when somebody scrapes.
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <mutex>

namespace gate {

class process_collector {
 public:
  explicit process_collector(prometheus::Registry& registry);
  /// Reads /proc/self anew. What cannot be read keeps its last value.
  void refresh();

 private:
  std::mutex refreshing_;  ///< a scrape may come to each unit
  prometheus::Counter& cpu_seconds_;
  prometheus::Gauge& resident_bytes_;
  prometheus::Gauge& virtual_bytes_;
  prometheus::Gauge& open_fds_;
  prometheus::Gauge& max_fds_;
  prometheus::Gauge& threads_;
  prometheus::Gauge& start_time_;
};

}  // namespace gate
