#include "actors/guards/balancer.hpp"

#include <algorithm>
#include <utility>

namespace gate::guards {

balancer::balancer(std::size_t endpoints, milliseconds rest, milliseconds long_rest)
    : rest_(rest), long_rest_(std::max(rest, long_rest)), endpoints_(endpoints) {}

std::vector<std::size_t> balancer::pass(time_point now) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    auto& e = endpoints_[i];
    if (!e.ejected || now < e.until) continue;
    e.ejected = false;
    out.push_back(i);
  }
  return out;
}

balancer::change balancer::probed(std::size_t endpoint, bool connected, time_point now) {
  if (!connected) return eject(endpoint, long_rest_, now);
  auto& e = endpoints_[endpoint];
  return std::exchange(e.ejected, false) ? change::restored : change::none;
}

balancer::change balancer::eject(std::size_t endpoint, milliseconds rest, time_point now) {
  auto& e = endpoints_[endpoint];
  // A long rest is not cut short by a session that tried all the same.
  e.until = e.ejected ? std::max(e.until, now + rest) : now + rest;
  e.failed_at = now;
  return std::exchange(e.ejected, true) ? change::none : change::ejected;
}

std::size_t balancer::pick(const std::vector<std::size_t>& tried) {
  if (const auto found = find(tried)) return *found;
  return find({}).value_or(0);
}

std::optional<std::size_t> balancer::find(const std::vector<std::size_t>& tried) {
  std::optional<std::size_t> rested;
  for (std::size_t n = 0; n < endpoints_.size(); ++n) {
    const auto i = (turn_ + n) % endpoints_.size();
    if (std::ranges::find(tried, i) != tried.end()) continue;
    if (!endpoints_[i].ejected) {
      turn_ = i + 1;
      return i;
    }
    if (!rested || endpoints_[i].failed_at < endpoints_[*rested].failed_at) rested = i;
  }
  return rested;
}

std::optional<balancer::time_point> balancer::next() const {
  std::optional<time_point> out;
  for (const auto& e : endpoints_)
    if (e.ejected && (!out || e.until < *out)) out = e.until;
  return out;
}

std::vector<bool> balancer::healthy() const {
  std::vector<bool> out;
  for (const auto& e : endpoints_) out.push_back(!e.ejected);
  return out;
}

}  // namespace gate::guards
