#include "transport/doors/follower_actor.hpp"

#include <boost/asio/post.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

namespace gate {

follower_door spawn_follower(caf::actor_system& system, caf::execution_unit* unit) {
  return system.spawn<doors::follower_actor>(static_cast<scheduler::io_unit*>(unit));
}

}  // namespace gate

namespace gate::doors {

follower_actor::follower_actor(caf::actor_config& cfg, scheduler::io_unit* unit)
    : pinned(cfg, unit), io_(*unit), names_(std::make_unique<http::lookups>(*unit)) {}

follower_actor::behavior_type follower_actor::make_behavior() {
  return {
      [this](follow& m) { begin(m); },
      [this](const follow_on& m) {
        if (const auto it = running_.find(m.id); it != running_.end()) it->second->go_on();
      },
      [this](const stop_following& m) {
        if (const auto it = running_.extract(m.id)) it.mapped()->cancel();
      },
  };
}

void follower_actor::begin(follow& what) {
  const auto id = what.id;
  const auto asker = what.asker;
  const auto it = std::make_shared<http::following>(
      io_, *names_, std::move(what),
      http::following::hearer{[asker](follow_began m) { caf::anon_send(asker, m); },
                              [asker](follow_said m) { caf::anon_send(asker, std::move(m)); },
                              [this, asker](follow_ended m) {
                                const auto number = m.id;
                                caf::anon_send(asker, std::move(m));
                                // It is what calls us, and goes when it has returned.
                                boost::asio::post(io_.context(),
                                                  [gone = running_.extract(number)] {});
                              }});
  running_.emplace(id, it);
  it->start();
}

void follower_actor::on_exit() {
  for (auto& [id, it] : running_) it->cancel();
  running_.clear();
  names_.reset();
}

}  // namespace gate::doors
