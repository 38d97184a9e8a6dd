#pragma once
/// The metrics of upstreams that the configuration no longer has: what says how something is goes
/// with it; what counts stays for a while, since it may be back soon. Part of GATEWAY.
#include <memory>

#include "actors/supervisor/retired_ids.hpp"
#include "config/snapshot/snapshot.hpp"
#include "transport/metrics.hpp"

namespace gate::supervisor {

class upstream_series {
 public:
  explicit upstream_series(std::shared_ptr<metrics> m, std::size_t most = limits::retired_upstreams)
      : metrics_(std::move(m)), retired_(most) {}

  /// The configuration has it again, or for the first time.
  void back(const std::string& id) { retired_.back(id); }
  /// Of the upstreams that only the first one has, once the second one holds.
  void forget(const config::snapshot& before, const config::snapshot& now);

 private:
  void forget_gauges(const config::compiled_upstream& gone,
                     const config::compiled_upstream* successor);

  std::shared_ptr<metrics> metrics_;
  retired_ids retired_;  ///< whose counters are kept
};

}  // namespace gate::supervisor
