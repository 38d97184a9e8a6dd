#pragma once
/// What attempts are counted in. Handles are taken once; any thread may use them.
#include "protocol/webhook/outcome.hpp"
#include "transport/metrics.hpp"

namespace gate::hooks {

struct attempt_tally {
  explicit attempt_tally(metrics& m)
      : attempts(m, metric::hooks_attempts),
        duration(m.get_histogram(metric::hooks_attempt_duration)) {}

  labelled<webhook::ending> attempts;
  metrics::histogram duration;
};

}  // namespace gate::hooks
