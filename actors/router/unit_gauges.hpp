#pragma once
/// What is measured of a unit once a second, so that nothing has to be counted on a call's way: its
/// open event streams, and how late its timers are, which is how long whatever comes has to wait
/// for the unit's thread. Part of ROUTER.
#include <algorithm>
#include <array>
#include <chrono>

#include "actors/router/unit.hpp"
#include "transport/metrics.hpp"

namespace gate::routing {

class unit_gauges {
 public:
  unit_gauges(unit& u, metrics& m)
      : unit_(u), streams_(m, metric::streams), delay_(m.get_histogram(metric::event_loop_delay)) {}

  /// The timer is to ring then.
  void expect(time_point due) { due_ = due; }
  /// It has rung. `activity`: open streams of `/api/activity`.
  void measure(std::size_t activity) {
    const auto late = std::max(unit_.now() - due_, time_point::duration::zero());
    delay_.observe(std::chrono::duration<double>(late).count());
    std::array<double, stream_kinds.size()> now{};
    unit_.sessions.for_each_stream([&](const auto&) { ++now[0]; });
    unit_.calls.for_each([&](const pipeline::call& c) {
      if (c.stream.begun() && c.stream.attached()) ++now[1];
    });
    now[2] = static_cast<double>(activity);
    show(now);
  }
  /// They are counted no more.
  void clear() { show({}); }

 private:
  using counts = std::array<double, stream_kinds.size()>;
  /// All units add to the same gauges.
  void show(const counts& now) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] != shown_[i]) streams_[static_cast<stream_kind>(i)].add(now[i] - shown_[i]);
      shown_[i] = now[i];
    }
  }

  unit& unit_;
  labelled<stream_kind> streams_;
  metrics::histogram delay_;
  time_point due_{};
  counts shown_{};
};

}  // namespace gate::routing
