#pragma once
/// PARCEL: how a message of a call's way is sent. `hand_over(to, m)` is `caf::anon_send(to, m)`:
/// the same check at compile time that the receiver takes such a message, the same mailbox, nothing
/// if there is no receiver. Only the memory differs: CAF allocates a mailbox element for each
/// message, and a call has half a dozen of them; these take places that were used before. For
/// messages of which each call has one; for all others CAF's own way is right.
#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/response_type.hpp>
#include <type_traits>
#include <utility>

#include "protocol/recycled.hpp"

namespace gate {

/// As `caf::mailbox_element_vals<Message>`, from which nothing can be derived.
template <class Message>
class parcel final : public caf::mailbox_element,
                     public caf::detail::tuple_vals_impl<caf::type_erased_tuple, Message> {
  using values = caf::detail::tuple_vals_impl<caf::type_erased_tuple, Message>;

 public:
  explicit parcel(Message&& m)
      : caf::mailbox_element(nullptr, caf::make_message_id(), {}), values(std::move(m)) {}

  static void* operator new(std::size_t) { return recycled<parcel>::take(); }
  static void operator delete(void* p) { recycled<parcel>::give(p); }

  caf::type_erased_tuple& content() override { return *this; }
  const caf::type_erased_tuple& content() const override { return *this; }
  caf::message move_content_to_message() override {
    return caf::make_message(std::move(std::get<0>(this->data())));
  }
  caf::message copy_content_to_message() const override {
    return caf::make_message(std::get<0>(this->data()));
  }
};

template <class To, class Message>
void hand_over(const To& to, Message&& m) {
  static_assert(!std::is_lvalue_reference_v<Message>, "what is handed over is moved");
  static_assert(alignof(parcel<Message>) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static_assert(
      caf::response_type_unbox<caf::signatures_of_t<To>, caf::detail::type_list<Message>>::valid,
      "receiver does not accept given message");
  if (!to) return;
  caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
      caf::mailbox_element_ptr{new parcel<Message>(std::forward<Message>(m))}, nullptr);
}

}  // namespace gate
