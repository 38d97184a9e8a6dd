#include "actors/webhooks/due_table.hpp"

#include <algorithm>

namespace gate::hooks {

std::uint64_t due_table::told(const std::string& webhook, const std::string& organization,
                              wall_time at) {
  const auto it = all_.try_emplace(webhook).first;
  auto& e = it->second;
  if (e.number != 0) {
    ++e.told;
    return e.number;
  }
  e.organization = organization;
  if (e.due && *e.due <= at) return 0;
  if (e.due) waiting_.erase({*e.due, it->first});
  e.due = at;
  waiting_.emplace(at, it->first);
  return 0;
}

std::optional<due_table::beginning> due_table::begin(wall_time now) {
  if (waiting_.empty() || waiting_.begin()->first > now) return {};
  const auto it = all_.find(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  auto& e = it->second;
  const auto due = *e.due;
  e.due.reset();
  e.number = ++last_;
  e.told = 0;
  running_.emplace(e.number, it);
  return beginning{e.number, it->first, e.organization, due};
}

std::optional<wall_time> due_table::next() const {
  if (waiting_.empty()) return {};
  return waiting_.begin()->first;
}

bool due_table::rests(std::uint64_t number, std::uint64_t told, std::optional<wall_time> due) {
  const auto found = running_.find(number);
  if (found == running_.end()) return true;
  const auto it = found->second;
  if (it->second.told != told) return false;
  running_.erase(found);
  wait(it, due);
  return true;
}

void due_table::crashed(std::uint64_t number, wall_time again) {
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  const auto it = found->second;
  running_.erase(found);
  wait(it, again);
}

void due_table::wait(entries::iterator it, std::optional<wall_time> due) {
  it->second.number = 0;
  it->second.due = due;
  if (due)
    waiting_.emplace(*due, it->first);
  else
    all_.erase(it);
}

std::uint64_t due_table::running(std::string_view webhook) const {
  const auto it = all_.find(webhook);
  return it == all_.end() ? 0 : it->second.number;
}

}  // namespace gate::hooks
