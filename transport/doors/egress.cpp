#include "transport/doors/egress.hpp"

namespace gate::doors {

egress::egress(caf::actor_config& cfg, scheduler::io_unit* unit) : pinned(cfg, unit) {
  http::client::callbacks call;
  call.done = [this](const fetch_client& asker, fetched f) { send(asker, std::move(f)); };
  call.events = [this](const fetch_client& asker, streamed s) { send(asker, std::move(s)); };
  client_ = std::make_unique<http::client>(*unit, std::move(call));
}

egress::behavior_type egress::make_behavior() {
  return {
      [this](start_fetch& m) { client_->start(std::move(m)); },
      [this](const abandon_fetch& m) { client_->abandon(m); },
  };
}

}  // namespace gate::doors
