#include "actors/tasks/ledger.hpp"

#include <vector>

#include "protocol/limits.hpp"

namespace gate::tasks {
ledger::pinned ledger::pin(std::string_view id, std::uint64_t owner, place where, time_point now) {
  expire(now);
  const auto [first, last] = by_id_.equal_range(id);
  auto mine = last;
  for (auto it = first; it != last; ++it) {
    const auto& r = *it->second;
    if (r.owner == owner)
      mine = it;
    else if (r.place.upstream == where.upstream && r.expires > now)
      return pinned::claimed;
  }
  if (mine != last) {
    mine->second->place = std::move(where);
    use(by_owner_[owner], mine->second, now);
    return pinned::yes;
  }
  if (given_up_.at(where.upstream, id, now)) return pinned::claimed;
  make_room(owner, now);
  auto& of = by_owner_[owner];
  of.push_back({std::string(id), owner, std::move(where), now + limits::task_record});
  by_id_.emplace(of.back().id, std::prev(of.end()));
  count(owner, of.size() - 1, of.size());
  return pinned::yes;
}

void ledger::correct(std::string_view id, std::uint64_t owner, place where, time_point now) {
  bool known = false;
  std::vector<std::pair<std::uint64_t, records::iterator>> wrong;
  const auto [first, last] = by_id_.equal_range(id);
  for (auto it = first; it != last; ++it) {
    const auto& r = *it->second;
    if (r.owner == owner)
      known = r.expires > now;
    else if (r.place.upstream == where.upstream)
      wrong.emplace_back(r.owner, it->second);
  }
  for (const auto& [whose, it] : wrong) {
    const auto of = by_owner_.find(whose);
    forget(whose, of->second, it);
    if (of->second.empty()) by_owner_.erase(of);
  }
  if (!known) pin(id, owner, std::move(where), now);
}

finding ledger::find(std::string_view id, std::uint64_t owner, time_point now) {
  expire(now);
  finding out;
  const auto [first, last] = by_id_.equal_range(id);
  for (auto it = first; it != last; ++it) {
    const auto& r = *it->second;
    if (r.expires <= now) continue;
    if (r.owner == owner) {
      use(by_owner_[owner], it->second, now);
      return {verdict::own, r.place};
    }
    out.verdict = verdict::foreign;
  }
  if (given_up_.anywhere(id, now)) out.verdict = verdict::foreign;
  return out;
}

void ledger::use(records& of, records::iterator it, time_point now) {
  it->expires = now + limits::task_record;
  of.splice(of.end(), of, it);
}

void ledger::make_room(std::uint64_t owner, time_point now) {
  const auto of = by_owner_.find(owner);
  if (of != by_owner_.end() && of->second.size() >= limits::task_records_each)
    give_up_oldest(owner, now);
  if (by_id_.size() >= limits::task_records) give_up_oldest(by_count_.rbegin()->second, now);
}

void ledger::give_up_oldest(std::uint64_t owner, time_point now) {
  auto& of = by_owner_.at(owner);
  given_up_.add(of.front().place.upstream, of.front().id, now);
  forget(owner, of, of.begin());
  if (of.empty()) by_owner_.erase(owner);
}

void ledger::forget(std::uint64_t owner, records& of, records::iterator gone) {
  const auto [first, last] = by_id_.equal_range(gone->id);
  for (auto it = first; it != last; ++it) {
    if (it->second != gone) continue;
    by_id_.erase(it);
    break;
  }
  of.erase(gone);
  count(owner, of.size() + 1, of.size());
}

void ledger::expire(time_point now) {
  if (now < next_look_) return;
  next_look_ = now + limits::task_look;
  for (auto it = by_owner_.begin(); it != by_owner_.end();) {
    auto& of = it->second;
    while (!of.empty() && of.front().expires <= now) forget(it->first, of, of.begin());
    it = of.empty() ? by_owner_.erase(it) : std::next(it);
  }
}

void ledger::count(std::uint64_t owner, std::size_t was, std::size_t is) {
  by_count_.erase({was, owner});
  if (is) by_count_.emplace(is, owner);
}

}  // namespace gate::tasks
