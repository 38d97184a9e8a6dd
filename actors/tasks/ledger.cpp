#include "actors/tasks/ledger.hpp"

#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

/// Expired records are looked for this often; until then they are only not found.
constexpr std::chrono::minutes look_interval{1};

}  // namespace

bool ledger::pin(std::string_view id, std::uint64_t owner, place where, time_point now) {
  expire(now);
  auto& of = by_owner_[owner];
  const auto [first, last] = by_id_.equal_range(id);
  for (auto it = first; it != last; ++it) {
    if (it->second->owner != owner) continue;
    forget(of, it->second);
    break;
  }
  if (by_id_.size() >= limits::task_records || of.size() >= limits::task_records_each) {
    if (of.empty()) return false;
    forget(of, of.begin());
  }
  of.push_back({std::string(id), owner, std::move(where), now + limits::task_record});
  by_id_.emplace(of.back().id, std::prev(of.end()));
  return true;
}

finding ledger::find(std::string_view id, std::uint64_t owner, time_point now) {
  expire(now);
  finding out;
  const auto [first, last] = by_id_.equal_range(id);
  for (auto it = first; it != last; ++it) {
    const auto& r = *it->second;
    if (r.expires <= now) continue;
    if (r.owner == owner) return {verdict::own, r.place};
    out.verdict = verdict::foreign;
  }
  return out;
}

void ledger::forget(records& of, records::iterator gone) {
  const auto [first, last] = by_id_.equal_range(gone->id);
  for (auto it = first; it != last; ++it) {
    if (it->second != gone) continue;
    by_id_.erase(it);
    break;
  }
  of.erase(gone);
}

void ledger::expire(time_point now) {
  if (now < next_look_) return;
  next_look_ = now + look_interval;
  for (auto it = by_owner_.begin(); it != by_owner_.end();) {
    auto& of = it->second;
    while (!of.empty() && of.front().expires <= now) forget(of, of.begin());
    it = of.empty() ? by_owner_.erase(it) : std::next(it);
  }
}

}  // namespace gate::tasks
