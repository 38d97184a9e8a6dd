#include "transport/doors/watch.hpp"

#include <csignal>
#include <cstdlib>

#include "transport/log.hpp"

namespace gate::doors {

watch::watch(caf::actor_config& cfg, scheduler::io_unit* unit)
    : pinned(cfg, unit), io_(*unit), signals_(unit->context(), SIGTERM, SIGINT, SIGHUP) {}

watch::behavior_type watch::make_behavior() {
  return {
      [this](watch_for& m) {
        who_ = std::move(m.who);
        wait();
      },
  };
}

void watch::on_exit() {
  // Cancelled, not only cleared: a wait that is left over would keep this actor.
  boost::system::error_code ec;
  signals_.cancel(ec);
  who_ = nullptr;
}

void watch::wait() {
  signals_.async_wait(
      [this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec, int signal) {
        if (ec || !who_) return;
        if (signal == SIGHUP) {
          send(who_, reload_requested{});
        } else if (stopping_) {
          log::warn("A second signal arrived: ending at once, without draining.");
          std::_Exit(1);
        } else {
          stopping_ = true;
          send(who_, stop_requested{});
        }
        wait();
        io_.drain();
      });
}

}  // namespace gate::doors
