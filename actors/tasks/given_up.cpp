#include "actors/tasks/given_up.hpp"

#include <functional>
#include <utility>

#include "protocol/base/sha256.hpp"
#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

constexpr std::size_t hashes = 4;
static_assert((limits::task_filter_bits & (limits::task_filter_bits - 1)) == 0);

/// Cryptographic, so that nobody finds ids that are taken for another's.
std::array<std::size_t, hashes> places(std::string_view id) {
  thread_local const sha256 digest_of;
  const auto digest = digest_of(id);
  std::array<std::size_t, hashes> out{};
  for (std::size_t i = 0; i < hashes; ++i) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word = word << 8U | digest[8 * i + b];
    out[i] = word & (limits::task_filter_bits - 1);
  }
  return out;
}

bool holds(const std::vector<bool>& filter, const std::array<std::size_t, hashes>& at) {
  if (filter.empty()) return false;
  for (auto place : at)
    if (!filter[place]) return false;
  return true;
}

}  // namespace

void given_up::add(std::string_view id, time_point now) {
  turn(now);
  if (latest_.empty()) {
    latest_.resize(limits::task_filter_bits);
    if (former_.empty()) turn_at_ = now + limits::task_record;
  }
  for (auto place : places(id)) latest_[place] = true;
}

bool given_up::has(std::string_view id, time_point now) {
  if (latest_.empty() && former_.empty()) return false;
  turn(now);
  const auto at = places(id);
  return holds(latest_, at) || holds(former_, at);
}

void given_up::turn(time_point now) {
  if (latest_.empty() && former_.empty()) return;
  for (int i = 0; i < 2 && now >= turn_at_; ++i) {
    former_ = std::exchange(latest_, {});
    turn_at_ += limits::task_record;
  }
  if (now >= turn_at_) turn_at_ = now + limits::task_record;
}

}  // namespace gate::tasks
