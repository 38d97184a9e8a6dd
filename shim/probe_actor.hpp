#pragma once
/// PROBE: finds out whether the server can be run, by running it: starts a child, initializes it as
/// a client would, tells its asker what came of it, and ends the child. Spawned by SHIM for
/// /health, and by main for --probe; ends when nothing is left of the child.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "shim/child_end.hpp"
#include "shim/interfaces.hpp"
#include "shim/tally.hpp"
#include "transport/pinned.hpp"

namespace gate::shim {

struct probe_parts {
  children_handle children;
  probe_user asker;
  tally_ptr tally;
  std::chrono::milliseconds patience;
};

using probe_base = child_user::extend<caf::reacts_to<end_session>>::extend<
    caf::reacts_to<patience_over>>::extend<caf::reacts_to<last_words_over>>;

class probe_actor final : public pinned<probe_base::base> {
 public:
  probe_actor(caf::actor_config& cfg, caf::execution_unit* unit, probe_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "probe"; }

 private:
  void hear(std::string_view line);
  void tell(bool runs, std::string what);

  probe_parts parts_;
  child_end<probe_actor> end_;
  std::optional<child_exited> exited_;
  bool told_ = false;
  bool out_ended_ = false;
};

}  // namespace gate::shim
