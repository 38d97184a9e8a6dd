#pragma once
/// The last part of whoever has a child: does what `teardown` says, with timers of its actor. A
/// child that has not begun to run when its end is wanted is killed: it has nothing to say, and
/// what holds it up may never end. Part of SESSION and PROBE, which hand on `patience_over`.
#include <utility>

#include "protocol/limits.hpp"
#include "shim/interfaces.hpp"
#include "shim/teardown.hpp"

namespace gate::shim {

template <class Self>
class child_end {
 public:
  explicit child_end(Self* self) : self_(self) {}

  /// Where the child is that may run one day.
  void made(child_handle child) {
    if (child_ || teardown_.now() == teardown::state::gone) return;
    expected_ = std::move(child);
    if (wanted_) begin();
  }
  /// The program runs. If its end was wanted before, it begins now.
  void started(child_handle child) {
    child_ = std::move(child);
    expected_ = nullptr;
    if (wanted_) begin();
  }
  void begin() {
    wanted_ = true;
    if (child_)
      act(teardown_.on(teardown::event::begin));
    else if (expected_)
      self_->send(std::exchange(expected_, nullptr), signal_child{signal_child::how::kill});
  }
  void exited() { act(teardown_.on(teardown::event::exited)); }
  void gone() {
    teardown_.on(teardown::event::gone);
    expected_ = nullptr;
  }
  void patience_ran_out(const patience_over& m) {
    if (m.round == round_) act(teardown_.on(teardown::event::times_up));
  }
  /// Null before it runs.
  const child_handle& child() const { return child_; }
  teardown::state state() const { return teardown_.now(); }
  void forget() { child_ = expected_ = nullptr; }

 private:
  void act(teardown::action a) {
    if (!child_) return;
    using how = signal_child::how;
    if (a.close_input) self_->send(child_, close_child_input{});
    if (a.terminate) self_->send(child_, signal_child{how::terminate});
    if (a.kill) self_->send(child_, signal_child{how::kill});
    if (a.arm) self_->delayed_send(self_, limits::child_patience, patience_over{++round_});
  }

  Self* self_;
  child_handle child_, expected_;
  teardown teardown_;
  std::uint64_t round_ = 0;
  bool wanted_ = false;
};

}  // namespace gate::shim
