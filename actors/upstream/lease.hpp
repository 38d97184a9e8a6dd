#pragma once
/// The permission to be the probe of a half-open circuit. BREAKER lends it to one request and waits
/// to hear how that ended; a lease ends exactly once, whatever happens to its request: dropped
/// unspent, because its session died or its client cancelled, it tells that nothing was learned.
/// Made by UPSTREAM (`lent_lease`), travels with the request; sessions only end it.
#include "actors/messages/guards.hpp"

namespace gate::upstream {

class lease {
 public:
  lease() = default;
  virtual ~lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  /// What is said after the first word is nothing.
  virtual void end(verdict how) = 0;
};

}  // namespace gate::upstream
