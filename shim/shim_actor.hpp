#pragma once
/// SHIM: takes every request of the shim's clients and sends it where it belongs: to the SESSION
/// that it names, to a new one, or to an endpoint of its own. Owns the slots, of which each lasts
/// until the last process of its session was reaped; the answer of /health; and the order of the
/// shutdown. Spawned by main; told by INGRESS, WATCH, SESSIONs and PROBE.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/sse/replay.hpp"
#include "shim/front.hpp"
#include "shim/interfaces.hpp"
#include "shim/tally.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::shim {

struct shim_parts {
  front_rules rules;
  std::size_t max_sessions = 64;
  ingress_handle ingress;
  children_handle children;
  std::shared_ptr<gate::metrics> metrics;
  random_source random;
  /// Called when everything has ended in order; false: because no child could be started any more.
  std::function<void(bool well)> stopped;
};

using shim_base = shim_handle::extend<caf::reacts_to<drain_over>>::extend<
    caf::reacts_to<goodbye_over>>::extend<caf::reacts_to<health_due>>;

class shim_actor final : public pinned<shim_base::base> {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  shim_actor(caf::actor_config& cfg, caf::execution_unit* unit, shim_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "shim"; }

 private:
  /// Held by a session until its actor and its child have ended.
  struct slot {
    std::string id;  ///< empty: the session is over
    session_handle session;
    bool asking = true;  ///< CHILDREN has yet to say where the child is
    caf::actor_addr child;
    bool live = false;  ///< the server has answered `initialize`, and runs
  };

  void take(exchange_ptr from);
  void read_body(exchange_ptr from);
  void open(exchange_ptr from);
  void child_is(std::uint64_t number, const child_handle& child);
  void forget_id(slot& s);
  void gone(const caf::down_msg& m);
  void free_if_over(std::uint64_t number);

  // /health (shim_health.cpp).
  void serve_health(exchange_ptr from);
  void on_probed(const probed& m);
  enum class health { ok, starting, down };
  void answer_health(exchange& to, health what) const;
  void answer_asked(health what);
  void answer_due();

  void stop();
  void end_all(bool now);
  void stop_if_over();
  time_point now() const { return const_cast<shim_actor*>(this)->clock().now(); }

  shim_parts parts_;
  tally_ptr tally_;
  std::shared_ptr<sse::replay_pool> kept_ = std::make_shared<sse::replay_pool>();
  std::map<std::uint64_t, slot> slots_;
  std::unordered_map<std::string, std::uint64_t> by_id_;
  std::unordered_map<caf::actor_id, std::uint64_t> by_actor_;  ///< SESSIONs and CHILDs
  std::uint64_t next_ = 1;

  /// Requests whose header has passed, and whose body is being read, by number; one a connection.
  std::unordered_map<std::uint64_t, exchange_ptr> reading_;

  probe_handle probe_;
  bool probing_ = false;         ///< its processes may still be ending
  bool awaiting_probe_ = false;  ///< it has yet to say what it found
  struct asker {
    exchange_ptr from;
    time_point until;
  };
  std::vector<asker> health_waiting_;  ///< in the order in which they came
  std::optional<bool> runs_;           ///< what the latest PROBE found
  time_point known_since_{};

  bool stopping_ = false;
  bool drained_ = false;
  bool well_ = true;  ///< CHILDREN is there
};

}  // namespace gate::shim
