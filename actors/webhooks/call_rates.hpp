#pragma once
/// CALL RATES: how many requests of each organization come in, by a bucket for its events and one
/// for all other calls: so many at once, and so many a second. (GCRA: of each bucket one time is
/// kept, when it will be full again.) Pure; part of API, which asks once for each request. There
/// are as many buckets as organizations, which the configuration bounds.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/limits/hooks_api.hpp"

namespace gate::hooks {

class call_rates {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit call_rates(std::size_t organizations) : full_(organizations) {}

  /// Takes one out of the bucket; or says when to come again, in whole seconds and at least one,
  /// and takes nothing.
  std::optional<std::chrono::seconds> take(std::size_t organization, bool events, time_point now) {
    using std::chrono::ceil, std::chrono::nanoseconds, std::chrono::seconds;
    const std::int64_t rate = events ? limits::hooks_events_rate : limits::hooks_calls_rate;
    const std::int64_t burst = events ? limits::hooks_events_burst : limits::hooks_calls_burst;
    const nanoseconds each = nanoseconds{seconds{1}} / rate;
    auto& full = events ? full_.at(organization).events : full_.at(organization).calls;
    const auto next = std::max(full, now) + each;
    const auto late = next - now - each * burst;
    if (late > nanoseconds{0}) return std::max(ceil<seconds>(late), seconds{1});
    full = next;
    return {};
  }

 private:
  struct buckets {
    time_point calls{}, events{};
  };
  std::vector<buckets> full_;
};

}  // namespace gate::hooks
