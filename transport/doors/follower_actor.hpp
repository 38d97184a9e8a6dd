#pragma once
/// FOLLOWER over real sockets. Spawned by `gate-discovery`; ends when it is told to.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <map>
#include <memory>

#include "transport/http/following.hpp"
#include "transport/pinned.hpp"

namespace gate::doors {

class follower_actor final : public pinned<follower_door::base> {
 public:
  follower_actor(caf::actor_config& cfg, scheduler::io_unit* unit);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "follower"; }

 private:
  void begin(follow& what);

  scheduler::io_unit& io_;
  std::unique_ptr<http::lookups> names_;
  std::map<std::uint64_t, std::shared_ptr<http::following>> running_;
};

}  // namespace gate::doors
