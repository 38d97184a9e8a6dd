#pragma once
/// Makes every actor that GATEWAY supervises, and introduces it to those that it works with. One
/// function a role; the table of children says the rest. Part of GATEWAY.
#include <memory>

#include "actors/supervisor/herald.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/mcp/cursor.hpp"
#include "protocol/mcp/stateless/request_state.hpp"

namespace gate::supervisor {

class spawner final : public slots_door {
 public:
  spawner(gateway_self& self, caf::execution_unit* here, gateway_parts& parts, staff& all,
          children& kids, upstream_slots& slots, herald& news);

  /// All that the configuration wants, in the order in which they need each other.
  void spawn_all();
  /// The one at this place.
  void spawn(const child& who);
  /// Those that the audit trail needs and that are not there, without a pause.
  void complete_audit();

  /// What DISCOVERY said last; HEALTH's successor is to know.
  std::optional<discovery_state> last_sync{};

  // slots_door
  upstream_handle make_upstream(const child& who, const slot& of) override;
  breaker_handle make_breaker(const child& who, const slot& of) override;
  balancer_handle make_balancer(const child& who, const slot& of) override;
  void announce(const child& who) override { news_.announce(who); }
  void listen(const breaker_handle& to, const upstream_handle& who) override;
  void probe_by(const balancer_handle& it, const upstream_handle& who) override;
  void show_health(const breaker_handle& breaker, const balancer_handle& balancer) override;
  void retire(const upstream_handle& who) override;
  void kill(const caf::actor& who) override;
  void end(const caf::actor& who) override;

 private:
  void spawn_audit();
  void spawn_sink(std::size_t index);
  labelled<audit_loss> losses_of(std::size_t place);
  void spawn_traces();
  void spawn_activity();
  void spawn_health();
  void spawn_tasks();
  void spawn_once();
  void spawn_mint();
  void spawn_limiter();
  void spawn_budget();
  void spawn_loader();
  void spawn_discovery();
  void spawn_keys(std::size_t source);
  void spawn_router(std::size_t unit);
  /// One that was just spawned is entered.
  template <class Handle>
  Handle born(Handle made, const child& who);

  gateway_self& self_;
  caf::execution_unit* here_;
  gateway_parts& parts_;
  staff& staff_;
  children& children_;
  upstream_slots& slots_;
  herald& news_;
  mcp::cursor_key cursor_key_{};
  mcp::stateless::state_key state_key_{};
  std::shared_ptr<config::compiler> compiler_ = std::make_shared<config::compiler>();  ///< LOADER's
  std::uint64_t discoveries_ = 0;  ///< spawned so far
  std::string instance_;           ///< what this one is called in the store; empty without one
};

}  // namespace gate::supervisor
