#pragma once
/// WATCH over what the operator does to the process. Signals: SIGTERM and SIGINT stop the gateway,
/// a second one ends it at once; SIGHUP asks for a reload. The configuration file, if it is
/// watched: one that has changed asks for a reload as well. Spawned by the runtime on the first
/// unit.
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <optional>

#include "transport/doors/file_watch.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/runtime.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

class watch_actor final : public pinned<watch_handle::base> {
 public:
  /// `signals`: the process's are ours to take.
  watch_actor(caf::actor_config& cfg, scheduler::io_unit* unit, bool signals,
              std::optional<watched_file> file);
  ~watch_actor() override;
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "watch"; }

 private:
  void wait_for_signal();
  void wait_for_file();
  void look_at_file();

  scheduler::io_unit& io_;
  std::optional<boost::asio::signal_set> signals_;
  std::optional<watched_file> file_;
  file_watch file_watch_;
  boost::asio::steady_timer poll_;
  watcher_handle who_;
  bool stopping_ = false;
};

}  // namespace gate::doors
