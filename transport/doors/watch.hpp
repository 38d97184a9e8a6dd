#pragma once
/// WATCH over process signals: SIGTERM and SIGINT stop the gateway, a second one ends it at once;
/// SIGHUP asks for a reload. Spawned by the runtime on the first unit.
#include <boost/asio/signal_set.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

class watch final : public pinned<watch_actor::base> {
 public:
  watch(caf::actor_config& cfg, scheduler::io_unit* unit);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "watch"; }

 private:
  void wait();

  scheduler::io_unit& io_;
  boost::asio::signal_set signals_;
  watcher_actor who_;
  bool stopping_ = false;
};

}  // namespace gate::doors
