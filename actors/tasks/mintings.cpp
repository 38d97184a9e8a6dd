#include "actors/tasks/mintings.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::tasks {

void mintings::note(const std::string& upstream, std::uint64_t owner, minting what,
                    time_point now) {
  auto& p = places_[upstream];
  auto& m = p.owners[owner];
  if (what == minting::begun) {
    ++m.running;
    return;
  }
  // It may have begun before a crash of TASKS.
  if (m.running > 0) --m.running;
  if (what == minting::lost) return lose(p, owner, now);
  if (!m.holds(now)) p.owners.erase(owner);
  if (p.owners.empty() && p.crowded_until <= now) places_.erase(upstream);
}

void mintings::lose(place& p, std::uint64_t owner, time_point now) {
  const auto until = now + limits::task_minting_lost;
  if (p.owners.size() > limits::task_mintings_lost)
    std::erase_if(p.owners,
                  [&](const auto& o) { return o.first != owner && !o.second.holds(now); });
  auto& m = p.owners.at(owner);
  if (p.owners.size() <= limits::task_mintings_lost) {
    m.lost_until = until;
    return;
  }
  p.crowded_until = until;
  if (!m.holds(now)) p.owners.erase(owner);
}

std::vector<std::string> mintings::of_others(std::uint64_t owner, time_point now) {
  std::vector<std::string> out;
  for (auto it = places_.begin(); it != places_.end();) {
    auto& [upstream, p] = *it;
    if (is_anothers(p, owner, now)) out.push_back(upstream);
    it = p.owners.empty() && p.crowded_until <= now ? places_.erase(it) : std::next(it);
  }
  return out;
}

/// On the way, those that hold no more are forgotten.
bool mintings::is_anothers(place& p, std::uint64_t owner, time_point now) {
  if (now < p.crowded_until) return true;
  for (auto it = p.owners.begin(); it != p.owners.end();) {
    if (!it->second.holds(now)) {
      it = p.owners.erase(it);
      continue;
    }
    if (it->first != owner) return true;
    ++it;
  }
  return false;
}

}  // namespace gate::tasks
