#pragma once
/// REGISTRY: asks FOLLOWER what LIST AND WATCH wants to know, keeps SERVICE TABLE, and answers
/// INGRESS by PUBLICATION. It owns the deadline of what is asked and the pause between attempts.
/// Spawned by `gate-discovery`, which ends when it does; told by FOLLOWER, INGRESS and WATCH.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/kubernetes/list_watch.hpp"
#include "actors/kubernetes/publication.hpp"
#include "actors/kubernetes/service_table.hpp"
#include "actors/kubernetes/tally.hpp"
#include "transport/clock.hpp"
#include "transport/following.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::kubernetes {

struct registry_parts {
  http::url server;  ///< its target is of no account
  std::string ca_file;
  selection which;
  entry_rules rules;
  publication_front front;
  /// The token to show, read anew for each question; an empty one: none. Errors say why there is
  /// none.
  std::function<result<std::string>()> token;
  follower_door follower;
  ingress_handle ingress;
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
  random_source random;
  std::function<void()> stopped;  ///< it ends because it was asked to
};

/// To itself: what was asked has had its time, or the pause is over; unless another time was set
/// meanwhile.
struct registry_due {
  std::uint64_t round = 0;
};
/// To itself: INGRESS has had its time to end.
struct registry_drained {};

using registry_base =
    watcher_handle::extend<caf::reacts_to<arrival>, caf::reacts_to<body_read>,
                           caf::reacts_to<client_gone>, caf::reacts_to<follow_began>,
                           caf::reacts_to<follow_said>, caf::reacts_to<follow_ended>,
                           caf::reacts_to<registry_due>, caf::reacts_to<registry_drained>>;

class registry_actor final : public pinned<registry_base::base> {
 public:
  registry_actor(caf::actor_config& cfg, caf::execution_unit* unit, registry_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "registry"; }

 private:
  void take(step s);
  void ask(std::string target);
  void arm(std::chrono::milliseconds after);
  /// What is known may have changed.
  void publish();
  void tell_left_out(const std::vector<left_out>& now);
  void tell_trouble(const step& s);
  void answer_to(exchange& from);
  void stop();

  registry_parts parts_;
  list_watch core_;
  service_table table_;
  publication published_;
  tally tally_;
  std::uint64_t asked_ = 0;                      ///< number of what was asked last
  std::uint64_t round_ = 0;                      ///< of deadlines and pauses
  bool waiting_ = false;                         ///< the time that runs is a pause
  std::string trouble_;                          ///< told last, while it lasts
  std::map<std::string, std::string> left_out_;  ///< told, by Service
  bool stopping_ = false;
};

}  // namespace gate::kubernetes

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::kubernetes::registry_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::kubernetes::registry_drained)
