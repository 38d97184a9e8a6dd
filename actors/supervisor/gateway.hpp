#pragma once
/// GATEWAY: the supervisor of everything. It spawns the actors that there is one of, and for each
/// unit a ROUTER and the upstreams; restarts with back-off what crashes; takes over another
/// configuration while all goes on; and ends the process in good order: no new connections, calls
/// in flight finished, sessions with upstreams ended, audit flushed. Spawned by whoever assembles
/// the process.
#include <array>
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "actors/audit/audit.hpp"
#include "actors/identity/sources.hpp"
#include "actors/interfaces.hpp"
#include "actors/router/router.hpp"
#include "actors/supervisor/backoff.hpp"
#include "actors/supervisor/retired_ids.hpp"
#include "actors/upstream/upstream.hpp"
#include "protocol/limits.hpp"

namespace gate::supervisor {

/// To itself: start again what crashed.
struct respawn_upstream {
  std::size_t unit = 0;
  std::size_t index = 0;
};
struct respawn_breaker {
  std::size_t index = 0;
};
struct respawn_balancer {
  std::size_t index = 0;
};
struct respawn_router {
  std::size_t unit = 0;
};
struct respawn_keys {
  std::size_t source = 0;
};
/// Those that there is one of.
enum class single : std::uint8_t {
  audit,
  health,
  tasks,
  store,
  mint,
  limiter,
  budget,
  loader,
  discovery
};
inline constexpr std::size_t singles = 9;
struct respawn {
  single which = single::audit;
};
struct drain_over {};
struct cut_now {};
struct goodbye_over {};

/// (SIGHUP and a changed file are `reload_requested`, from WATCH; so is an embedding program's
/// wish, with an answer.)
using gateway_actor = watcher_actor::extend_with<loading_user>::extend_with<discovery_user>::
    extend_with<departures_user>::extend<
        caf::replies_to<reload_with>::with<reloaded>, caf::reacts_to<respawn_upstream>,
        caf::reacts_to<respawn_breaker>, caf::reacts_to<respawn_balancer>,
        caf::reacts_to<respawn_router>, caf::reacts_to<respawn_keys>, caf::reacts_to<respawn>,
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
  /// What lists of clients' own may take on a unit.
  std::size_t own_list_bytes = limits::own_list_bytes;
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
  struct unit_state {
    unit_parts doors;
    router_actor router;
    backoff pause;
  };
  /// One upstream, by its number: on every unit, and what it has once for all.
  struct slot_state {
    /// As the configuration had it when it began; null: the number is free.
    std::shared_ptr<const config::compiled_upstream> config;
    struct on_unit {
      upstream_actor actor;  ///< null: it crashed, or has ended
      backoff pause;
    };
    std::vector<on_unit> units;
    breaker_actor breaker;
    balancer_actor balancer;  ///< null: it needs none, or it crashed
    backoff breaker_pause, balancer_pause;
    bool leaving = false;  ///< the configuration no longer has it
  };
  /// What a child is, for the day when it dies.
  struct child {
    enum class kind : std::uint8_t { upstream, breaker, balancer } what = kind::upstream;
    std::size_t unit = 0;
    std::size_t index = 0;
  };

  // gateway.cpp: those that there is one of, and routers
  void spawn_single(single which);
  void born(single which) { pauses_[static_cast<std::size_t>(which)].born(clock().now()); }
  void spawn_audit();
  void spawn_health();
  void spawn_tasks();
  void spawn_limiter();
  void spawn_budget();
  void spawn_discovery();
  void spawn_loader();
  void spawn_router(std::size_t unit);
  void child_down(const caf::down_msg& m);
  bool single_down(const caf::down_msg& m);
  void router_down(std::size_t unit);
  template <class Message>
  void tell_routers(const Message& m) {
    for (auto& u : units_)
      if (u.router) send(u.router, m);
  }

  // gateway_identity.cpp: who has to do with tokens
  void spawn_identity();
  void spawn_keys(std::size_t source);
  void spawn_store();
  void spawn_mint();
  void tell_keys(std::size_t source);
  bool keys_down(const caf::down_msg& m);
  void end_identity();

  // gateway_upstreams.cpp: one upstream each
  void open_slot(const config::compiled_upstream& u);
  void spawn_upstream(std::size_t unit, std::size_t index);
  void spawn_breaker(std::size_t index);
  void spawn_balancer(std::size_t index);
  void end_upstreams(std::size_t unit);
  bool slot_child_down(const caf::down_msg& m);
  void upstream_down(std::size_t unit, std::size_t index, const std::string& reason);
  void upstream_left(std::size_t unit, std::size_t index, const caf::error& reason);
  void begin_to_leave(std::size_t index);
  void forget_series(const config::snapshot& before);
  void forget_gauges(const config::compiled_upstream& gone,
                     const config::compiled_upstream* successor);
  void on_left(const left_upstream& m);
  void close_slot(std::size_t index);
  template <class Message>
  void tell_upstreams(std::size_t index, const Message& m) {
    for (auto& u : slots_[index].units)
      if (u.actor) send(u.actor, m);
  }
  template <class Message>
  void tell_upstreams(const Message& m) {
    for (std::size_t i = 0; i < slots_.size(); ++i) tell_upstreams(i, m);
  }
  federation_update federation(std::size_t unit) const;
  std::size_t upstreams_alive() const;
  /// Is there an upstream with this number whose crashed actors are to be started again?
  bool is_staying(std::size_t index) const {
    return phase_ == phase::running && slots_[index].config && !slots_[index].leaving;
  }

  // gateway_reload.cpp: another configuration
  caf::result<reloaded> reload(reload_with m);
  void reload_by_signal();
  void load(std::uint64_t number);
  void on_discovered(discovered& m);
  void on_loaded(const loaded& m);
  void take_over(snapshot_ptr next);
  void loader_down();

  // gateway_end.cpp: the end
  void stop();
  void drained_all();
  void say_goodbye();
  void end_routers();
  void finish();

  gateway_parts parts_;
  mcp::cursor_key cursor_key_{};
  std::vector<unit_state> units_;
  std::vector<slot_state> slots_;
  std::unordered_map<caf::actor_id, child> children_;
  audit_actor audit_;
  health_actor health_;
  tasks_actor tasks_;
  rate_limiter_actor limiter_;
  budget_actor budget_;
  store_actor store_;
  mint_actor mint_;
  loader_actor loader_;
  std::shared_ptr<config::compiler> compiler_ = std::make_shared<config::compiler>();  ///< LOADER's
  discovery_actor discovery_;
  std::uint64_t discoveries_ = 0;  ///< spawned so far
  retired_ids retired_;            ///< whose counters are kept
  std::array<backoff, singles> pauses_;
  struct key_source_state {
    keys_actor actor;
    backoff pause;
  };
  std::vector<key_source_state> key_sources_;
  /// What LOADER works on, by number; it does one after the other.
  struct loading {
    enum class cause : std::uint8_t { signal, program, discovery } why = cause::signal;
    caf::typed_response_promise<reloaded> answer;  ///< to a program
    std::optional<std::string> text;
    std::uint64_t question = 0;  ///< of DISCOVERY
  };
  std::map<std::uint64_t, loading> loading_;
  std::uint64_t loads_ = 0;
  std::size_t undrained_ = 0;
  /// The end, step by step.
  enum class phase : std::uint8_t { running, draining, refusing, goodbye, last_words };
  phase phase_ = phase::running;
};

}  // namespace gate::supervisor

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_upstream)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_breaker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_balancer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_router)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn_keys)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::respawn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::drain_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::cut_now)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::supervisor::goodbye_over)
