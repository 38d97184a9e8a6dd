#pragma once
/// ROUTER: one per unit. Every request of the unit's clients enters here, is taken through the nine
/// stages (pipeline/), waits here while others work for it, and leaves through stage 9. What it
/// knows is in its parts (parts.hpp); the actor is the way to others, and hands on what comes.
/// Spawned and supervised by GATEWAY; asked by INGRESS, answered by UPSTREAM and its sessions.
#include <caf/typed_event_based_actor.hpp>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/router/parts.hpp"
#include "transport/clock.hpp"
#include "transport/pinned.hpp"

namespace gate {

/// To itself.
struct router_timer {
  routing::timer what;
};

using router_base = router_handle::extend<caf::reacts_to<router_timer>>;

/// What a ROUTER is made with; the same for all units, but for the number.
struct router_setup : routing::settings {
  audit_handle audit;                ///< null: no audit section
  traces_handle traces;              ///< null: no spans are recorded, or being restarted
  activity_handle activity;          ///< null: no introspection, or being restarted
  audit_recorder_handle recorder{};  ///< null: nothing is recorded
  health_handle health;
  tasks_handle tasks;
  std::vector<keys_handle> key_sources;  ///< null: being restarted
  mint_handle mint;                      ///< null: no token endpoint, or being restarted
  rate_limiter_handle limiter;           ///< null: being restarted
  budget_handle budget;                  ///< the same
  store_handle store;                    ///< null: nothing is shared
  departures_user gateway;               ///< is told when an upstream that was removed is left
};

class router_actor final : public pinned<router_base::base>,
                           private routing::upstream_door,
                           private routing::partner_door,
                           private routing::time_door {
 public:
  router_actor(caf::actor_config& cfg, caf::execution_unit* unit, router_setup with,
               snapshot_ptr snapshot);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::router); }

 private:
  void on_keys_replaced(replaced<keys_handle>& m);
  void on_upstream_replaced(replaced<upstream_handle>& m);
  void on_update(federation_update& m);

  // routing::upstream_door
  std::size_t slots() const override { return upstreams_.size(); }
  bool there(std::size_t index) const override {
    return index < upstreams_.size() && upstreams_[index];
  }
  void ask(std::size_t index, invoke question) override;
  void tell(std::size_t index, routing::to_upstream what) override;
  void answer_later(listed nobody) override { send(this, std::move(nobody)); }

  // routing::partner_door
  bool has_limiter() const override { return with_.limiter != nullptr; }
  void meter(std::uint64_t call, const rate_scopes_ptr& scopes) override;
  bool has_keys(std::size_t source) const override { return with_.key_sources[source] != nullptr; }
  void want_keys(std::size_t source) override {
    send(with_.key_sources[source], gate::want_keys{});
  }
  void find_tasks(std::uint64_t call, gate::find_tasks question) override;
  void pin_task(gate::pin_task what) override { send(with_.tasks, std::move(what)); }
  void note_minting(gate::note_minting what) override { send(with_.tasks, std::move(what)); }
  bool redeem(gate::redeem what) override;
  void ask_health(std::uint64_t call) override;
  void inquire(std::uint64_t call, routing::inquiry_question what) override;
  void ask(store_request what) override {
    send(with_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
  }
  void left(std::size_t upstream) override {
    send(with_.gateway, left_upstream{with_.unit_number, upstream});
  }

  // routing::time_door
  routing::time_point now() const override;
  void wake(routing::timer what, std::chrono::steady_clock::duration after) override {
    if (after.count() == 0) return send(this, router_timer{what});  // behind what is here already
    delayed_send(this, after, router_timer{what});
  }

  router_setup with_;
  std::vector<upstream_handle> upstreams_;  ///< by number; null: it crashed, or is gone
  std::size_t slots_ = 0;                   ///< numbers below are in use, or have been
  routing::parts it_;
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::router_timer)
