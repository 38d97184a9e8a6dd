#pragma once
/// TRACER: names spans, decides of traces that begin here, and gathers what has ended for TRACES:
/// one message for many spans, not one for each call. One for each ROUTER, and of its unit's
/// thread; spans that are open share it, and may outlive ROUTER.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/interfaces.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/ids.hpp"
#include "protocol/trace/mcp_spans.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"

namespace gate::traces {

using time_point = std::chrono::steady_clock::time_point;

struct tracer_parts {
  double sample_ratio = 1;
  bool record_principal = true;
  random_source random;
  wall_clock wall;
  std::function<time_point()> now;
  metrics::value lost;  ///< spans that end while there is no TRACES
};

class tracer {
 public:
  explicit tracer(tracer_parts parts)
      : parts_(std::move(parts)), ids_(parts_.random), sampler_(parts_.sample_ratio) {}

  /// Null: it crashed.
  void export_to(traces_handle to) { to_ = std::move(to); }
  /// Its ROUTER is gone: what has ended is handed on, what is still open is not told any more.
  void retire();

  trace::id_source& ids() { return ids_; }
  bool samples(const trace::trace_id& id) const { return sampler_.takes(id); }
  bool records_principal() const { return parts_.record_principal; }
  time_point now() const { return parts_.now ? parts_.now() : time_point{}; }
  /// From then until now, by the wall clock.
  struct interval {
    trace::wall_time began, ended;
  };
  interval since(time_point began) const;

  /// A span has ended, which `write` appends to a string.
  template <class Write>
  void add(Write&& write) {
    write(gathered_);
    if (++count_ >= limits::trace_gathered || gathered_.size() >= limits::trace_gathered_bytes)
      hand_on();
  }
  /// What is gathered. At each tick of its ROUTER, so that nothing waits for more for long.
  void hand_on();

 private:
  tracer_parts parts_;
  trace::id_source ids_;
  trace::sampler sampler_;
  traces_handle to_;
  std::string gathered_;
  std::size_t count_ = 0;  ///< spans of that
};
using tracer_ptr = std::shared_ptr<tracer>;

}  // namespace gate::traces
