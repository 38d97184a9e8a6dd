#pragma once
/// CHILDREN over real processes: has KEEPER start them, and makes a CHILD for each. Spawned by the
/// runtime, one per unit. Ends when KEEPER does (which was killed then): whoever monitors it knows
/// that no further child can be started.
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/process/keeper.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

class children_actor final : public pinned<children_handle::base> {
 public:
  children_actor(caf::actor_config& cfg, scheduler::io_unit* unit,
                 std::shared_ptr<process::keeper> keeper);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "children"; }

 private:
  void flush_soon();
  void watch_keeper();

  scheduler::io_unit& io_;
  boost::asio::steady_timer again_;
  boost::asio::posix::stream_descriptor life_;  ///< readable when KEEPER has ended
  bool flushing_ = false;
  std::shared_ptr<process::keeper> keeper_;
};

}  // namespace gate::doors
