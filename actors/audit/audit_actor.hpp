#pragma once
/// AUDIT: makes one line of each event, once, and hands it to every SINK. Lines for one that
/// crashed are held until its successor runs. Spawned by GATEWAY when the configuration has an
/// audit section; told by every ROUTER's exit door.
#include <caf/typed_event_based_actor.hpp>
#include <memory>
#include <vector>

#include "actors/audit/held_lines.hpp"
#include "actors/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::audits {

/// One SINK, as AUDIT is made with it.
struct outlet {
  sink_handle to;          ///< null: it crashed
  metrics::value dropped;  ///< counts what the bound of held lines costs
  held_bounds most{};      ///< of what is held for its successor: what it would hold itself
};

class audit_actor final : public gate::audit_handle::base {
 public:
  audit_actor(caf::actor_config& cfg, const std::vector<outlet>& outlets);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::audit); }

 private:
  struct held_outlet {
    outlet it;
    held_lines held;
  };
  void hand_on(held_outlet& o, std::shared_ptr<const std::string> text);
  void replace(const replaced<sink_handle>& m);
  caf::result<audit_flushed> flush();

  std::vector<held_outlet> outlets_;
};

}  // namespace gate::audits
