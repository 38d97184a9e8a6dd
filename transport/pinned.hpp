#pragma once
/// An actor that always runs on the same unit (I/O thread), as CAF's brokers do. Its message
/// handlers never overlap with the completion handlers of the sockets it owns, and it may answer
/// promises from them. With a null unit (under the test coordinator) it runs wherever it is
/// scheduled.
#include <caf/execution_unit.hpp>
#include <caf/scheduled_actor.hpp>
#include <utility>

#include "transport/scheduler/taking.hpp"

namespace gate {

template <class Base>
class pinned : public Base {
 public:
  template <class... Ts>
  explicit pinned(caf::actor_config& cfg, caf::execution_unit* unit, Ts&&... xs)
      : Base(cfg, std::forward<Ts>(xs)...), unit_(unit) {
    if (unit_) this->context(unit_);
  }

  using Base::enqueue;
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* host) override {
    caf::scheduled_actor::enqueue(std::move(element), unit_ ? unit_ : host);
  }
  void launch(caf::execution_unit* host, bool lazy, bool hide) override {
    Base::launch(unit_ ? unit_ : host, lazy, hide);
  }

  using Base::consume;
  caf::resumable::resume_result resume(caf::execution_unit* unit, std::size_t most) override {
    return taking::resume(*this, unit, most);
  }
  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    return taking::consume(*this, x);
  }

  caf::execution_unit* unit() const noexcept { return unit_; }

 private:
  caf::execution_unit* unit_;
};

}  // namespace gate
