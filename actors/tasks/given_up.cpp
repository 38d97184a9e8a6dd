#include "actors/tasks/given_up.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/sha256.hpp"
#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

constexpr std::size_t hashes = 4;
static_assert((limits::task_filter_bits & (limits::task_filter_bits - 1)) == 0);

/// Cryptographic, so that nobody finds ids that are taken for another's.
std::array<std::size_t, hashes> places(std::string_view key) {
  thread_local const sha256 digest_of;
  const auto digest = digest_of(key);
  std::array<std::size_t, hashes> out{};
  for (std::size_t i = 0; i < hashes; ++i) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word = word << 8U | digest[8 * i + b];
    out[i] = word & (limits::task_filter_bits - 1);
  }
  return out;
}

/// No upstream's id is empty or has a NUL, so keys of ids alone are no keys of pairs.
std::string key_of(std::string_view upstream, std::string_view id) {
  std::string out(upstream);
  out += '\0';
  return out.append(id);
}

bool holds(const std::vector<bool>& bits, const std::array<std::size_t, hashes>& at) {
  if (bits.empty()) return false;
  for (auto place : at)
    if (!bits[place]) return false;
  return true;
}

}  // namespace

void given_up::add(std::string_view upstream, std::string_view id, time_point now) {
  turn(now);
  if (latest_.bits.empty()) {
    latest_.bits.resize(limits::task_filter_bits);
    if (former_.bits.empty()) turn_at_ = now + limits::task_record;
  }
  // One that is full says yes to every id, so it need not learn more.
  if (latest_.tasks > limits::task_filter_tasks) return;
  ++latest_.tasks;
  for (const auto& key : {key_of({}, id), key_of(upstream, id)})
    for (auto place : places(key)) latest_.bits[place] = true;
}

bool given_up::anywhere(std::string_view id, time_point now) {
  turn(now);
  return full() || has(key_of({}, id));
}

bool given_up::at(std::string_view upstream, std::string_view id, time_point now) {
  turn(now);
  return !full() && has(key_of({}, id)) && has(key_of(upstream, id));
}

bool given_up::has(std::string_view key) const {
  if (latest_.bits.empty() && former_.bits.empty()) return false;
  const auto at = places(key);
  return holds(latest_.bits, at) || holds(former_.bits, at);
}

bool given_up::full() const {
  return std::max(latest_.tasks, former_.tasks) > limits::task_filter_tasks;
}

void given_up::turn(time_point now) {
  if (latest_.bits.empty() && former_.bits.empty()) return;
  for (int i = 0; i < 2 && now >= turn_at_; ++i) {
    former_ = std::exchange(latest_, {});
    turn_at_ += limits::task_record;
  }
  if (now >= turn_at_) turn_at_ = now + limits::task_record;
}

}  // namespace gate::tasks
