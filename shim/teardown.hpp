#pragma once
/// How a child is ended: gently first, and surely in the end. Pure; whoever has a child has one,
/// does what it says, and tells it what happened.
///
///   state        begin                exited               time's up           gone
///   running      closing: close       terminating: close,  -                   gone
///                input, 5 s           terminate, 5 s
///   closing      -                    terminating:         terminating:        gone
///                                     terminate, 5 s       terminate, 5 s
///   terminating  -                    -                    killing: kill       gone
///   killing      -                    -                    -                   gone
///   gone         -                    -                    -                   -
///
/// `exited`: the child itself has; others of its group may go on. `gone`: all were reaped.
#include <cstdint>

namespace gate::shim {

class teardown {
 public:
  enum class state : std::uint8_t { running, closing, terminating, killing, gone };
  enum class event : std::uint8_t { begin, exited, times_up, gone };

  struct action {
    bool close_input = false;
    bool terminate = false;
    bool kill = false;
    bool arm = false;  ///< tell `times_up` after `limits::child_patience`
    bool operator==(const action&) const = default;
  };

  action on(event e);
  state now() const { return state_; }
  bool begun() const { return state_ != state::running; }

 private:
  state state_ = state::running;
};

}  // namespace gate::shim
