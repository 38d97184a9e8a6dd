#include "shim/teardown.hpp"

namespace gate::shim {

teardown::action teardown::on(event e) {
  if (e == event::gone) {
    state_ = state::gone;
    return {};
  }
  switch (state_) {
    case state::running:
      if (e == event::times_up) return {};
      state_ = e == event::begin ? state::closing : state::terminating;
      return {true, e == event::exited, false, true};
    case state::closing:
      if (e == event::begin) return {};
      state_ = state::terminating;
      return {false, true, false, true};
    case state::terminating:
      if (e != event::times_up) return {};
      state_ = state::killing;
      return {false, false, true, false};
    case state::killing:
    case state::gone:
      break;
  }
  return {};
}

}  // namespace gate::shim
