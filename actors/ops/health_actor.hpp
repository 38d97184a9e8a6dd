#pragma once
/// HEALTH: the reports behind GET /health, /metrics and /api/federation. One round of probes at a
/// time, whoever asks meanwhile waits for the same round; its result is used for a second. Probes
/// touch no limit or budget, and a breaker only if they succeed. Spawned by GATEWAY, on a thread of
/// its own: with thousands of upstreams a report takes milliseconds to make, and no call is to wait
/// for it. Probes set out some at a time, so that the first unit, which makes them, has time for
/// its calls between them. Nor are `/health` and `/metrics` to wait for viewers: these are answered
/// one in a turn, behind whatever has come meanwhile. Asked by ROUTER; asks the upstreams of the
/// first unit.
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/ops/federation_texts.hpp"
#include "actors/ops/reports.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"

namespace gate::ops {

/// To itself: the round's budget is used up.
struct round_over {
  std::uint64_t round = 0;
};
/// To itself: the next probes set out.
struct next_probes {};
/// To itself: one viewer is answered.
struct next_viewer {};
using health_base = health_handle::extend<caf::reacts_to<round_over>, caf::reacts_to<next_probes>,
                                          caf::reacts_to<next_viewer>>;

struct health_parts {
  store_handle store;  ///< null: nothing is shared
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
};

class health_actor final : public health_base::base {
 public:
  health_actor(caf::actor_config& cfg, health_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::health); }

 private:
  void update(federation_update& m);
  void replace(replaced<upstream_handle>& m);
  void begin();
  /// Those that are not asked yet, some of them; if there are more, again in a moment.
  void ask_some();
  vital_signs& signs_of(std::size_t upstream);
  void ask(const config::compiled_upstream& u);
  bool complete() const;
  void finish();
  void count_sessions();
  std::optional<bool> shared_state() const;
  bool fresh();
  /// These viewers are answered, each in a turn of its own.
  void serve_viewers();
  void answer(caf::typed_response_promise<federation_text>& to, const ask_federation& q);

  health_parts parts_;
  metrics::value clients_, bridged_;
  bool store_here_ = true;  ///< the gateway does not start before it is
  snapshot_ptr snapshot_;
  // By number of the upstream.
  std::vector<upstream_handle> upstreams_;
  std::vector<finding> found_;
  std::vector<vital_signs> signs_;
  std::vector<caf::typed_response_promise<health_report>> waiting_;
  using viewer = std::pair<caf::typed_response_promise<federation_text>, ask_federation>;
  // ROUTERs bound how many ask at once (`limits::inquiries` each).
  std::vector<viewer> awaiting_;  ///< the round's result
  std::deque<viewer> viewers_;    ///< their turn
  federation_texts texts_;        ///< of the last round
  std::optional<discovery_state> discovery_;
  health_report last_;
  std::chrono::steady_clock::time_point good_until_{};
  std::uint64_t round_ = 0;
  std::size_t next_ = 0;  ///< of the snapshot's upstreams: all before it are asked
  bool running_ = false;
  bool asks_on_ = false;  ///< `next_probes` is under way
};

}  // namespace gate::ops

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ops::round_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ops::next_probes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ops::next_viewer)
