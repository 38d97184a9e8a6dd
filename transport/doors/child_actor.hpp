#pragma once
/// CHILD over a real process: its three pipes, and the socket to its warden. Reads lines, writes
/// lines, logs what the child complains of, and tells its user what becomes of it. Spawned by
/// CHILDREN; ends when nothing of the child is left.
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <string>

#include "protocol/stdio/line_reader.hpp"
#include "transport/interfaces.hpp"
#include "transport/pinned.hpp"
#include "transport/process/complaints.hpp"
#include "transport/process/keeper.hpp"
#include "transport/scheduler/io_unit.hpp"

namespace gate::doors {

class child_actor final : public pinned<child_handle::base> {
 public:
  /// `why`: it could not even be asked for; then `ends` are empty.
  child_actor(caf::actor_config& cfg, scheduler::io_unit* unit, process::child_ends ends,
              std::string why, start_child from);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "child"; }

 private:
  using pipe = boost::asio::posix::stream_descriptor;

  void failed(std::string why);
  void wait(pipe& on, pipe::wait_type what, void (child_actor::*then)());
  void hear_warden();
  void take_report(process::warden_report r);
  void await_last_words();
  void order(process::warden_order what);
  void read_output();
  void tell_lines(bool last);
  void read_complaints();
  void take_complaints(std::string_view bytes);
  void read_last_complaints();
  void complain(const std::string& line);
  void tell_dropped_complaints();
  void write_input();
  void look_at_input();
  void drop_input(bool deaf = false);
  void end_if_done();
  void finish();

  scheduler::io_unit& io_;
  pipe control_, input_, output_, error_;
  boost::asio::steady_timer pause_, last_words_;
  std::string why_;
  std::string label_, program_;
  child_user user_;
  stdio::line_reader lines_, complaint_lines_;
  process::complaints complaints_;
  std::vector<std::string> told_;
  std::size_t too_long_ = 0;
  std::deque<std::string> waiting_;  ///< for the child to read its standard input
  std::size_t written_ = 0;          ///< of the first of them
  bool writing_ = false;
  bool started_ = false;    ///< its user knows that it runs
  bool exited_ = false;     ///< itself; others of its group may not have
  std::size_t flood_ = 0;   ///< bytes of standard error since the last pause, none of them logged
  bool gone_ = false;       ///< its warden says that nothing is left
  bool heard_out_ = false;  ///< its standard output has ended
  bool unasked_ = false;    ///< has told something, and nobody has asked for more
  bool done_ = false;       ///< everything was told
};

}  // namespace gate::doors
