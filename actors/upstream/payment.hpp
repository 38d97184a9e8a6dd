#pragma once
/// A unit that BUDGET has charged for an attempt that is about to be sent. Whatever keeps it from
/// being sent, a failed connect, a cancellation, the end of its session, gives it back: a payment
/// of this type that ends unspent tells BUDGET so, if that is still the one that was paid. Made by
/// UPSTREAM SESSION, belongs to the request; neither outlives the purse.
#include <cstdint>
#include <utility>

#include "actors/upstream/session_doors.hpp"

namespace gate::upstream {

/// What payments are made from.
struct purse {
  session_guards* guards = nullptr;
  std::uint32_t budgets = 0;  ///< how many BUDGETs there were so far
};

class payment {
 public:
  /// Nothing was charged.
  payment() = default;
  payment(const purse& from, const charged& what)
      : from_(&from), what_{what.paid, what.at}, budget_(from.budgets) {}
  ~payment() { settle(); }
  payment(payment&& other) noexcept { *this = std::move(other); }
  payment& operator=(payment&& other) noexcept {
    settle();
    from_ = other.from_;
    what_ = {std::exchange(other.what_.scopes, nullptr), other.what_.at};
    budget_ = other.budget_;
    spent_ = other.spent_;
    return *this;
  }

  /// It was sent; or not after all.
  void spend(bool sent) { spent_ = sent; }

 private:
  void settle() {
    if (what_.scopes && !spent_ && budget_ == from_->budgets)
      from_->guards->refund(std::move(what_));
    what_.scopes = nullptr;
  }

  const purse* from_ = nullptr;
  refund what_;
  std::uint32_t budget_ = 0;
  bool spent_ = false;
};

}  // namespace gate::upstream
