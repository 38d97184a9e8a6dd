#pragma once
/// The permission to be the probe of a half-open circuit. BREAKER lends it to one request and waits
/// to hear how that ended; a lease of this type ends exactly once, whatever happens to its request:
/// dropped unspent, because its session died or its client cancelled, it tells that nothing was
/// learned. Made by UPSTREAM, travels with the request.
#include <caf/send.hpp>
#include <utility>

#include "actors/guards/messages.hpp"

namespace gate::upstream {

class lease {
 public:
  lease(breaker_actor of, std::uint64_t number) : of_(std::move(of)), number_(number) {}
  ~lease() { end(verdict::neutral); }
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  void end(verdict how) {
    if (number_ == 0) return;
    const auto number = std::exchange(number_, 0);
    if (of_) caf::anon_send(of_, request_ended{how, number});  // else it has crashed since
    of_ = nullptr;
  }

 private:
  breaker_actor of_;
  std::uint64_t number_;
};

}  // namespace gate::upstream
