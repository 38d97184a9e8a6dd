#pragma once
/// PROGRAM over a real process: the pipe of its standard error, and a descriptor that tells of its
/// end. Spawned by `spawn_program`; ends when the process has.
#include <boost/asio/posix/stream_descriptor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <string>
#include <vector>

#include "protocol/stdio/line_reader.hpp"
#include "transport/pinned.hpp"
#include "transport/programs.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

class program_actor final : public pinned<program_handle::base> {
 public:
  program_actor(caf::actor_config& cfg, scheduler::io_unit* unit, program_spec what,
                program_user user);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "program"; }

 private:
  using pipe = boost::asio::posix::stream_descriptor;

  /// What went wrong; empty: it runs.
  std::string start();
  void wait(pipe& on, void (program_actor::*then)());
  void read_error();
  void look_at_end();
  void tell(bool last);
  void end_if_done();

  scheduler::io_unit& io_;
  program_spec spec_;
  program_user user_;
  pipe error_, life_;
  pid_t pid_ = 0;
  stdio::line_reader lines_;
  std::vector<std::string> told_;
  bool ended_ = false;
  program_ended how_;
};

}  // namespace gate::doors
