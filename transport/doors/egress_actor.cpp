#include "transport/doors/egress_actor.hpp"

#include <caf/actor_system.hpp>

#include "transport/parcel.hpp"
#include "transport/runtime.hpp"

namespace gate {

egress_handle spawn_egress(caf::actor_system& system, scheduler::io_unit* unit) {
  return system.spawn<doors::egress_actor>(unit);
}

}  // namespace gate

namespace gate::doors {

egress_actor::egress_actor(caf::actor_config& cfg, scheduler::io_unit* unit) : pinned(cfg, unit) {
  http::client::callbacks call;
  call.done = [](const fetch_client& asker, fetched f) { hand_over(asker, std::move(f)); };
  call.events = [](const fetch_client& asker, streamed s) { hand_over(asker, std::move(s)); };
  // Watched once, however many fetches it starts.
  call.met = [this](const fetch_client& asker) { monitor(asker); };
  client_ = std::make_unique<http::client>(*unit, std::move(call));
  // Nobody waits for the answers of a dead asker, and streams have no deadline of their own.
  set_down_handler([this](const caf::down_msg& m) {
    if (client_) client_->forget(m.source.id());
  });
}

egress_actor::behavior_type egress_actor::make_behavior() {
  return {
      [this](start_fetch& m) { client_->start(std::move(m)); },
      [this](const abandon_fetch& m) { client_->abandon(m); },
  };
}

}  // namespace gate::doors
