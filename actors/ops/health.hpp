#pragma once
/// HEALTH: the report behind GET /health. One round of probes at a time, whoever asks meanwhile
/// waits for the same round; its result is used for a second. Probes touch no limit or budget, and
/// a breaker only if they succeed. Spawned by GATEWAY; asked by ROUTER; asks the upstreams of the
/// first unit.
#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <vector>

#include "actors/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::ops {

/// To itself: the round's budget is used up.
struct round_over {
  std::uint64_t round = 0;
};
using health_base = health_actor::extend<caf::reacts_to<round_over>>;

/// What one probe found out; `answered` false: nothing yet.
struct finding {
  bool answered = false;
  bool unprobed = false;  ///< its credential comes from callers: nobody can ask it
  probed result;
};

/// What BREAKER and BALANCER said last of an upstream.
struct vital_signs {
  breaker_state breaker = breaker_state::closed;
  std::vector<bool> endpoints;  ///< in rotation? Empty: there is one, or nobody has told
};

/// The report's body (decisions, `/health`). Details that outsiders should not see (URL, owner,
/// labels, error text) are left out unless `details`.
/// `found` and `signs` are by number of the upstream. `store`: is the shared store there? Nothing:
/// there is none. It makes nobody unhealthy: without it this instance decides by itself.
std::string health_body(const config::snapshot& s, const std::vector<finding>& found,
                        const std::vector<vital_signs>& signs, std::optional<bool> store,
                        bool details);
/// Is any upstream reachable?
bool is_serving(const config::snapshot& s, const std::vector<finding>& found);

class health final : public pinned<health_base::base> {
 public:
  /// `store` null: nothing is shared.
  health(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::health); }

 private:
  void update(federation_update& m);
  void replace(replaced<upstream_actor>& m);
  void begin();
  void ask(const config::compiled_upstream& u);
  bool complete() const;
  void finish();

  store_actor store_;
  bool store_here_ = true;  ///< the gateway does not start before it is
  snapshot_ptr snapshot_;
  // By number of the upstream.
  std::vector<upstream_actor> upstreams_;
  std::vector<finding> found_;
  std::vector<vital_signs> signs_;
  std::vector<caf::typed_response_promise<health_report>> waiting_;
  health_report last_;
  std::chrono::steady_clock::time_point good_until_{};
  std::uint64_t round_ = 0;
  bool running_ = false;
};

}  // namespace gate::ops

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ops::round_over)
