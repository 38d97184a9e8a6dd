#include "transport/postgres/clock.hpp"

#include <cstdlib>

#include "protocol/limits/ledger.hpp"

namespace gate::postgres {

std::int64_t clock::ahead(connection& db) {
  const auto now = std::chrono::steady_clock::now();
  {
    std::lock_guard lock(mutex_);
    if (looked_ && now - *looked_ < limits::ledger_clock) return ahead_;
  }
  const auto ours = wall_().time_since_epoch().count();
  query q(db, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT");
  const bool known = q.row();
  std::lock_guard lock(mutex_);
  if (!known) return ahead_;
  const auto there = q.number(0) - ours;
  if (std::abs(there - ahead_) > limits::ledger_clocks_agree.count()) ahead_ = there;
  looked_ = now;
  return ahead_;
}

}  // namespace gate::postgres
