#include "transport/doors/inspector_actor.hpp"

#include <boost/asio/post.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include "transport/http/wire.hpp"

namespace gate {

inspector_handle spawn_inspector(caf::actor_system& system, caf::execution_unit* unit) {
  return system.spawn<doors::inspector_actor>(static_cast<scheduler::io_unit*>(unit));
}

}  // namespace gate

namespace gate::doors {
namespace {

/// It verifies, and goes on whatever comes of it: that is what is to be told.
boost::asio::ssl::context tls_that_looks() {
  auto out = http::make_client_tls();
  out.set_verify_mode(boost::asio::ssl::verify_none);
  return out;
}

}  // namespace

inspector_actor::inspector_actor(caf::actor_config& cfg, scheduler::io_unit* unit)
    : pinned(cfg, unit),
      io_(*unit),
      tls_(tls_that_looks()),
      names_(std::make_unique<http::lookups>(*unit)) {}

inspector_actor::behavior_type inspector_actor::make_behavior() {
  return {
      [this](inspect& m) {
        const auto number = ++next_;
        const auto it =
            std::make_shared<http::inspection>(http::inspection::surroundings{io_, *names_, tls_},
                                               m, [this, number, asker = m.asker](inspected found) {
                                                 caf::anon_send(asker, std::move(found));
                                                 servers_.erase(number);
                                               });
        servers_.emplace(number, it);
        it->start();
      },
      [this](inspect_store& m) {
        const auto number = ++next_;
        const auto it = std::make_shared<store::inspection>(
            io_, *names_, m, [this, number, asker = m.asker](store_inspected found) {
              caf::anon_send(asker, std::move(found));
              // Its line is still about to say something: it goes when that is over.
              boost::asio::post(io_.context(), [gone = stores_.extract(number)] {});
            });
        stores_.emplace(number, it);
        it->start();
      },
  };
}

void inspector_actor::on_exit() {
  for (auto& [number, it] : servers_) it->cancel();
  for (auto& [number, it] : stores_) it->cancel();
  servers_.clear();
  stores_.clear();
  names_.reset();
}

}  // namespace gate::doors
