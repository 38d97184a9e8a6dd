#pragma once
/// GATEWAY: the supervisor of everything. It spawns AUDIT, HEALTH and, for each unit, a ROUTER and
/// the upstreams; restarts with back-off what crashes; and ends the process in good order: no new
/// connections, calls in flight finished, sessions with upstreams ended, audit flushed. Spawned by
/// `main`.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <vector>

#include "actors/audit/audit.hpp"
#include "actors/identity/sources.hpp"
#include "actors/interfaces.hpp"
#include "actors/router/router.hpp"
#include "actors/upstream/upstream.hpp"

namespace gate::supervisor {

/// To itself.
struct respawn_upstream {
  std::size_t unit = 0;
  std::size_t index = 0;
};
struct respawn_router {
  std::size_t unit = 0;
};
struct respawn_health {};
struct respawn_audit {};
struct respawn_tasks {};
struct respawn_keys {
  std::size_t source = 0;
};
struct respawn_store {};
struct respawn_mint {};
struct drain_over {};
struct cut_now {};
struct goodbye_over {};

/// (SIGHUP and a changed file are `reload_requested`, from WATCH; so is an embedding program's
/// wish, with an answer.)
using gateway_actor = watcher_actor::extend_with<loading_user>::extend_with<discovery_user>::extend<
    caf::replies_to<reload_with>::with<reloaded>,
    caf::reacts_to<respawn_upstream>, caf::reacts_to<respawn_router>,
    caf::reacts_to<respawn_health>, caf::reacts_to<respawn_audit>, caf::reacts_to<respawn_tasks>,
    caf::reacts_to<respawn_keys>, caf::reacts_to<respawn_store>, caf::reacts_to<respawn_mint>,
    caf::reacts_to<drain_over>, caf::reacts_to<cut_now>, caf::reacts_to<goodbye_over>>;

/// The doors of one unit, whoever made them.
struct unit_parts {
  caf::execution_unit* unit = nullptr;
  ingress_actor ingress;
  egress_actor egress;
};

struct gateway_parts {
  snapshot_ptr snapshot;
  std::vector<unit_parts> units;
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
  random_source random;
  secret_source secrets;
  identity::authority_ptr authority;  ///< of the snapshot's section `auth`
  audits::sink audit;                 ///< `write` empty: no audit section
  /// Reads the operator's document again, as text. Empty: there is nothing to read again.
  std::function<result<std::string>()> read_config;
  /// LOADER gets a thread of its own. (Not in virtual time.)
  bool load_apart = false;
  /// Told once everything has ended.
  std::function<void()> stopped;
};

class gateway final : public pinned<gateway_actor::base> {
 public:
  gateway(caf::actor_config& cfg, caf::execution_unit* unit, gateway_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "gateway"; }

 private:
  /// One crashing actor is restarted after a pause that doubles each time, and starts small again
  /// once it has lived for a while.
  struct backoff {
    std::chrono::milliseconds pause{0};
    std::chrono::steady_clock::time_point born{};
    std::chrono::milliseconds next(std::chrono::steady_clock::time_point now);
  };
  struct unit_state {
    unit_parts doors;
    router_actor router;
    backoff router_backoff;
    std::vector<upstream_actor> upstreams;
    std::vector<backoff> upstream_backoff;
  };

  void spawn_audit();
  void spawn_health();
  void spawn_tasks();
  // gateway_identity.cpp: who has to do with tokens
  void spawn_identity();
  void spawn_keys(std::size_t source);
  void spawn_store();
  void spawn_mint();
  void tell_keys(std::size_t source);
  bool identity_down(const caf::down_msg& m);
  void end_identity();

  void spawn_router(std::size_t unit);
  upstream_actor spawn_upstream(std::size_t unit, std::size_t index);
  void spawn_upstreams(std::size_t unit);
  void child_down(const caf::down_msg& m);
  void router_down(std::size_t unit);
  void upstream_down(std::size_t unit, std::size_t index);

  void stop();
  void drained_all();
  void say_goodbye();
  void end_routers();
  void finish();

  gateway_parts parts_;
  mcp::cursor_key cursor_key_{};
  std::vector<unit_state> units_;
  audit_actor audit_;
  health_actor health_;
  tasks_actor tasks_;
  struct key_source_state {
    keys_actor actor;
    backoff pause;
  };
  std::vector<key_source_state> key_sources_;
  store_actor store_;
  mint_actor mint_;
  backoff audit_backoff_, health_backoff_, tasks_backoff_, store_backoff_, mint_backoff_;
  std::size_t undrained_ = 0;
  /// The end, step by step.
  enum class phase : std::uint8_t { running, draining, refusing, goodbye, last_words };
  phase phase_ = phase::running;
};

}  // namespace gate::supervisor

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_upstream)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_router)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_health)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_audit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_tasks)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_keys)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_store)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_mint)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::drain_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::cut_now)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::goodbye_over)
