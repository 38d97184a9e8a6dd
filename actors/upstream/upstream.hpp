#pragma once
/// UPSTREAM: everything that belongs to one upstream on one unit: its root session, one bridged
/// session per client, and their supervision. A session that dies takes only its own calls with it;
/// ROUTER is told, and the next request gets a new session. Spawned and supervised by GATEWAY.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>

#include "actors/upstream/session.hpp"

namespace gate::upstream {

class upstream final : public pinned<upstream_actor::base> {
 public:
  upstream(caf::actor_config& cfg, caf::execution_unit* unit, context_ptr shared);

  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "upstream"; }

 private:
  upstream_session_actor make_session(std::uint64_t client);
  upstream_session_actor& root();
  upstream_session_actor& bridged(std::uint64_t client);
  void child_down(const caf::down_msg& m);
  void quit_when_done();

  context_ptr shared_;
  upstream_session_actor root_;
  std::unordered_map<std::uint64_t, upstream_session_actor> bridged_;
  /// Every live session, those that are closing included, and the client it serves.
  std::unordered_map<caf::actor_addr, std::uint64_t> children_;
  bool retiring_ = false;
};

/// The context of an upstream's sessions, from its configuration.
context_ptr make_context(const config::compiled_upstream& u, answers_actor router,
                         egress_actor egress, metrics& m);

}  // namespace gate::upstream
