#pragma once
/// AT ONCE: how an actor that stands between two others takes a parcel on its way to the next.
/// Waiting for its turn is half of what such an actor costs: it does little with a message, and
/// nobody but it wants it. So it may take one where it is sent, as the proxies of CAF do, if it is
/// idle and pinned to the unit that sends: what was sent before it has then been handled, nothing
/// else of it runs, and it could run now as well. Everything else goes into its mailbox.
///
///   void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) override {
///     if (taken_at_once<arrival>(*this, *x, [this](arrival& m) { … })) return;
///     pinned::enqueue(std::move(x), host);
///   }
///
/// The handler runs within whoever sends: it tells others, and asks nothing of the sender. One that
/// throws ends its actor, not the sender. What goes on as it is needs no second parcel (`pass_on`).
#include <caf/scheduled_actor.hpp>
#include <exception>
#include <tuple>
#include <typeinfo>

#include "transport/parcel.hpp"

namespace gate {
namespace at_once {

/// Is it idle, and is this the thread that it is pinned to? (With a null unit: the thread of none.)
bool is_idle_here(caf::scheduled_actor& self, const caf::execution_unit* unit);
/// As CAF does it where a handler throws.
void end(caf::scheduled_actor& self, const char* why);

}  // namespace at_once

template <class Message, class Pinned, class Handler>
bool taken_at_once(Pinned& self, caf::mailbox_element& x, Handler handle) {
  if (typeid(x) != typeid(parcel<Message>) || !at_once::is_idle_here(self, self.unit()))
    return false;
  try {
    handle(std::get<0>(static_cast<parcel<Message>&>(x).data()));
  } catch (const std::exception& e) {
    at_once::end(self, e.what());
  }
  return true;
}

/// `hand_over` of a parcel that is there already: one of a `Message`.
template <class Message, class To>
void pass_on(const To& to, caf::mailbox_element_ptr x) {
  static_assert(
      caf::response_type_unbox<caf::signatures_of_t<To>, caf::detail::type_list<Message>>::valid,
      "receiver does not accept given message");
  if (to) caf::actor_cast<caf::abstract_actor*>(to)->enqueue(std::move(x), nullptr);
}

}  // namespace gate
