#pragma once
/// A stdio MCP server without a process, behind the shim's door CHILD: it does what the arguments
/// of its calls ask for (`"do"`), takes as long as it is told, and ends, or not, in its own manner.
/// What happened to it is written down.
///
///   "do"       what it does with a call
///   answer     answers, after `ms`
///   silent     never answers
///   dies       ends in mid-call; `ms` odd: its answer is in the pipe
///   garbage    writes lines that are no messages, then answers
///   broken     answers with what is no JSON
///   huge       writes a line that is too long, then answers
///   talks      says how far it is, then answers
///   shouts     says something that belongs to no call, then answers
///   asks       asks its client something, and answers
///   twice      answers two times
///   stranger   answers what nobody has asked, then this
///   closes     closes its output
///   deaf       closes its input
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/jsonrpc/message.hpp"
#include "transport/interfaces.hpp"

namespace gate::sim {

struct child_manner {
  enum class start : std::uint8_t { well, fails, never } starts = start::well;
  enum class end : std::uint8_t {
    polite,    ///< when its input is closed
    stubborn,  ///< by SIGTERM
    deadly,    ///< by SIGKILL
    undead,    ///< by SIGKILL, some seconds later
    never,     ///< it does not
  } ends = end::polite;
  std::chrono::milliseconds start_takes{0}, greeting_takes{0};
  std::chrono::milliseconds reading_takes{0};  ///< of each line
};

/// What is known of a child. Times are the epoch as long as nothing happened.
struct child_life {
  using time_point = std::chrono::steady_clock::time_point;
  std::size_t number = 0;
  bool probe = false;      ///< PROBE's
  caf::actor_id user = 0;  ///< the actor that has it
  child_manner manner{};
  std::vector<std::string> heard;  ///< lines of its standard input, without LF
  time_point asked{}, started{}, input_closed{}, terminated{}, killed{}, exited{}, gone{};
  bool orphaned = false;  ///< whoever had it has died
  std::vector<std::string> misuse;
};
using child_life_ptr = std::shared_ptr<child_life>;

/// What may be broken on purpose.
struct child_faults {
  bool crosses_marks = false;  ///< answers with the mark of the call before, whosever it was
  bool eats_a_line = false;    ///< of calls, every eighth is not heard
  bool mixes_up = false;       ///< one line of a session goes to the child of another
  bool kills_early = false;    ///< a child is killed as soon as its input is closed
  bool hides_its_end = false;  ///< nobody is told that nothing is left of a child
  std::chrono::milliseconds late{0};
  std::string last_mark{};
  std::size_t calls = 0;
  caf::actor_addr last_called{};  ///< the child that was called last
};

/// To itself: so far it has come.
struct child_next {
  std::function<void()> what;
};
using simulated_child_handle = child_handle::extend<caf::reacts_to<child_next>>;

class simulated_child final : public simulated_child_handle::base {
 public:
  simulated_child(caf::actor_config& cfg, child_life_ptr life, child_user user,
                  std::shared_ptr<child_faults> faults);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "simulated child"; }

 private:
  void begin();
  void hear(const std::string& line);
  bool is_mixed_up(const std::string& line);
  void obey(const jsonrpc::message& m);
  void obey_call(const jsonrpc::message& m);
  void answer(const std::string& id, const std::string& mark);
  void say(std::vector<std::string> lines, std::size_t too_long = 0, bool last = false);
  void speak();
  void later(std::chrono::milliseconds time, std::function<void()> what);
  void on_signal(signal_child::how what);
  void exit(int status, bool by_signal);
  void vanish();

  caf::strong_actor_ptr itself_;  ///< it lives as long as its process does, whoever knows it
  child_life_ptr life_;
  child_user user_;
  std::shared_ptr<child_faults> faults_;
  std::deque<child_spoke> out_;
  bool read_ = true;  ///< what it says next is read
  bool ended_ = false, deaf_ = false, out_closed_ = false;
};

}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::child_next)
