#pragma once
/// GATEWAY: the supervisor of everything. It starts the actors that there is one of, and for each
/// unit a ROUTER and the upstreams; restarts with back-off what crashes; takes over another
/// configuration while all goes on; and ends the process in good order: no new connections, calls
/// in flight finished, sessions with upstreams ended, audit flushed. What it knows is in its parts;
/// the actor hands on what comes. Spawned by whoever assembles the process.
#include <set>

#include "actors/supervisor/ending.hpp"
#include "actors/supervisor/reloads.hpp"
#include "actors/supervisor/spawner.hpp"
#include "actors/supervisor/upstream_series.hpp"
#include "transport/pinned.hpp"

namespace gate::supervisor {

class gateway_actor final : public pinned<gateway_self>, private reloads_door, private ending_door {
 public:
  gateway_actor(caf::actor_config& cfg, caf::execution_unit* unit, gateway_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::gateway); }

 private:
  void child_down(const caf::down_msg& m);
  void say_crashed(const children::fallen& it, const caf::error& why) const;
  void lose(const children::fallen& it);
  void restart(const child& who);
  void end_upstreams_that_left(const config::snapshot& before);
  template <class Flushed, class Handle, class Ask>
  void flush(role who, const Handle& whom, Ask what);
  void flushed(role who);
  void over();

  // reloads_door
  bool stopping() const override { return !ending_.running(); }
  bool has_loader() const override { return staff_.loader != nullptr; }
  void load(std::variant<load_document, load_discovered> what) override;
  void take_over(snapshot_ptr next) override;
  std::uint64_t generation() const override { return parts_.snapshot->generation; }
  void settle(discovery_settled what) override;

  // ending_door
  void drain() override;
  void refuse_calls() override;
  void say_goodbye() override;
  void end_all() override;
  void flush() override;
  void wake(phase which, std::chrono::milliseconds after) override;
  bool upstreams_alive() const override { return slots_.alive() > 0; }
  bool routers_alive() const override;

  gateway_parts parts_;
  staff staff_;
  children children_;
  ending ending_{*this};
  reloads reloads_{*this, *parts_.metrics};
  upstream_series series_;
  herald news_;
  spawner spawner_;
  upstream_slots slots_;
  std::set<role> unflushed_;  ///< that are asked to, at the end
};

}  // namespace gate::supervisor
