#pragma once
/// What the shim counts, for /metrics and for /health. Shared by SHIM, SESSIONs and PROBE, which
/// live on one unit.
#include <cstdint>
#include <memory>

#include "transport/metrics.hpp"

namespace gate::shim {

/// A number that is told at both places.
class counted {
 public:
  explicit counted(metrics::value v) : metric_(v) { metric_.add(0); }
  void add(std::uint64_t n = 1) {
    count_ += n;
    metric_.add(static_cast<double>(n));
  }
  std::uint64_t count() const { return count_; }

 private:
  metrics::value metric_;
  std::uint64_t count_ = 0;
};

struct tally {
  explicit tally(metrics& m)
      : sessions(m.get(metric::stdio_sessions)),
        max_sessions(m.get(metric::stdio_max_sessions)),
        spawned(m.get(metric::stdio_spawned)),
        spawn_errors(m.get(metric::stdio_spawn_errors)),
        rejected(m.get(metric::stdio_rejected)),
        child_failures(m.get(metric::stdio_child_failures)),
        lines_dropped(
            m.get(metric::stdio_lines_dropped, {to_string(child_stream::standard_output)})) {}

  metrics::value sessions, max_sessions;
  counted spawned, spawn_errors, rejected, child_failures, lines_dropped;
};
using tally_ptr = std::shared_ptr<tally>;

}  // namespace gate::shim
