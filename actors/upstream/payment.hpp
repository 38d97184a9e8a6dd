#pragma once
/// A unit that BUDGET has charged for an attempt that is about to be sent. Whatever keeps it from
/// being sent, a failed connect, a cancellation, the end of its session, gives it back: a payment
/// of this type that ends unspent tells BUDGET so. Made by UPSTREAM SESSION, travels with the
/// request.
#include <caf/send.hpp>
#include <utility>

#include "actors/guards/messages.hpp"

namespace gate::upstream {

class payment {
 public:
  payment(budget_actor to, const charged& what) : to_(std::move(to)), what_{what.paid, what.at} {}
  ~payment() {
    if (!spent_ && to_ && what_.scopes) caf::anon_send(to_, std::move(what_));
  }
  payment(const payment&) = delete;
  payment& operator=(const payment&) = delete;

  /// It was sent; or not after all.
  void spend(bool sent) { spent_ = sent; }

 private:
  budget_actor to_;
  refund what_;
  bool spent_ = false;
};

}  // namespace gate::upstream
