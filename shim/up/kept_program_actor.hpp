#pragma once
/// KEPT PROGRAM: one gate-stdio, or the gateway, for as long as it is wanted. Started again, it
/// gets the port that it had; where that is a matter of chance, another one when the port is taken.
/// Spawned by UP; ends when it was told to and the process has ended.
#include <caf/typed_event_based_actor.hpp>
#include <string>

#include "shim/up/interfaces.hpp"
#include "shim/up/restarts.hpp"
#include "transport/pinned.hpp"

namespace gate::up {

struct kept_parts {
  std::string id;
  /// What to run on a port; 0: any.
  std::function<program_spec(std::uint16_t port)> spec;
  std::uint16_t port = 0;
  bool any_port = false;  ///< whoever calls it is told where it listens
  program_starter start;
  kept_user user;
};

/// To itself.
struct start_again {};
struct goodbye_over {};

using kept_base =
    kept_handle::extend<caf::reacts_to<program_started>, caf::reacts_to<program_failed>,
                        caf::reacts_to<program_said>, caf::reacts_to<program_ended>,
                        caf::reacts_to<start_again>, caf::reacts_to<goodbye_over>>;

class kept_program_actor final : public pinned<kept_base::base> {
 public:
  kept_program_actor(caf::actor_config& cfg, caf::execution_unit* unit, kept_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "kept program"; }

 private:
  void start();
  void ended(std::string why);

  kept_parts parts_;
  restarts restarts_;
  program_handle program_;
  bool listens_ = false;
  bool reload_due_ = false;  ///< told to before it could hear
  bool ending_ = false;
};

}  // namespace gate::up

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::start_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::goodbye_over)
