#pragma once
/// A lease of BREAKER, as UPSTREAM hands it out: how it ends is told to the very one that lent it.
#include <caf/send.hpp>
#include <utility>

#include "actors/interfaces.hpp"
#include "actors/upstream/lease.hpp"

namespace gate::upstream {

class lent_lease final : public lease {
 public:
  lent_lease(breaker_handle of, std::uint64_t number) : of_(std::move(of)), number_(number) {}
  ~lent_lease() override { tell(verdict::neutral); }
  lent_lease(const lent_lease&) = delete;
  lent_lease& operator=(const lent_lease&) = delete;

  void end(verdict how) override { tell(how); }

 private:
  void tell(verdict how) {
    if (number_ == 0) return;
    const auto number = std::exchange(number_, 0);
    if (of_) caf::anon_send(of_, request_ended{how, number});  // else it has crashed since
    of_ = nullptr;
  }

  breaker_handle of_;
  std::uint64_t number_;
};

}  // namespace gate::upstream
