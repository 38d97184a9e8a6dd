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
  /// Nothing was charged.
  payment() = default;
  payment(budget_actor to, const charged& what) : to_(std::move(to)), what_{what.paid, what.at} {}
  ~payment() { settle(); }
  payment(payment&& other) noexcept { *this = std::move(other); }
  payment& operator=(payment&& other) noexcept {
    settle();
    to_ = std::move(other.to_);
    what_ = {std::exchange(other.what_.scopes, nullptr), other.what_.at};
    spent_ = other.spent_;
    return *this;
  }

  /// It was sent; or not after all.
  void spend(bool sent) { spent_ = sent; }

 private:
  void settle() {
    if (what_.scopes && !spent_ && to_) caf::anon_send(to_, std::move(what_));
    what_.scopes = nullptr;
  }

  budget_actor to_;
  refund what_;
  bool spent_ = false;
};

}  // namespace gate::upstream
