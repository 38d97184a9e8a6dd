#include "simulations/stories/sample.hpp"

#include <algorithm>

#include "simulations/stories/checkers.hpp"
#include "simulations/world/allocated.hpp"

namespace gate::stories {

sample* next_sample(std::vector<sample>& all, std::chrono::steady_clock::duration at) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(at);
  if (!all.empty() && now - all.back().at < between_samples) return nullptr;
  auto& one = all.emplace_back();
  one.at = now;
  one.allocated = sim::allocated_bytes();
  return &one;
}

void add_to(sample& s, const std::string& exposition) {
  constexpr std::string_view breaker = R"(gate_upstream_breaker_state{upstream=")";
  for (const auto& [name, value] : churn::samples(exposition)) {
    if (name == R"(gate_sessions{kind="client"})") s.client_sessions += value;
    if (name == R"(gate_sessions{kind="bridged"})") s.bridged_sessions += value;
    if (!name.starts_with(breaker)) continue;
    const auto id = name.substr(breaker.size(), name.size() - breaker.size() - 2);
    auto& worst = s.breakers[id];
    worst = std::max(worst, value);
  }
}

}  // namespace gate::stories
