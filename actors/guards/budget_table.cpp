#include "actors/guards/budget_table.hpp"

#include <algorithm>
#include <utility>

namespace gate::guards {

budget_table::answer budget_table::charge(std::span<const allowance> scopes, time_point now) {
  if (now >= ends_) turn(now);
  answer out;
  found_.clear();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    auto& k = at(scopes[i].period);
    const bool ahead = now < k.period.begin;
    if (ahead && !k.ahead) out.clock_went_back = true;
    k.ahead = ahead;
    const auto it = k.used.find(scopes[i].key);
    found_.push_back(it == k.used.end() ? nullptr : &it->second);
    // Who has no record has used nothing, and no budget is below 1.
    if (found_.back() == nullptr || *found_.back() < scopes[i].upstream_calls) continue;
    out.yes = false;
    out.refused_by = i;
    out.used = *found_.back();
    out.resets = k.period.end;
    return out;
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (found_[i] != nullptr) {
      ++*found_[i];
      continue;
    }
    auto& k = at(scopes[i].period);
    if (k.used.size() < most_)
      ++k.used[scopes[i].key];
    else
      out.overflows = !std::exchange(k.full, true) || out.overflows;
  }
  return out;
}

void budget_table::refund(std::span<const allowance> scopes, time_point charged_at) {
  for (const auto& s : scopes) {
    auto& k = at(s.period);
    if (charged_at < k.period.begin || charged_at >= k.period.end) continue;
    const auto it = k.used.find(s.key);
    if (it != k.used.end() && it->second > 0) --it->second;
  }
}

budget_use budget_table::use(const allowance& of, time_point now) const {
  const auto& k = kinds_[static_cast<std::size_t>(of.period)];
  if (now >= k.period.end) return {0, period_of(of.period, now).end};
  const auto it = k.used.find(of.key);
  return {it == k.used.end() ? 0 : it->second, k.period.end};
}

void budget_table::know(const allowance& of, std::int64_t used, time_point now) {
  if (now >= ends_) turn(now);
  auto& k = at(of.period);
  if (now < k.period.begin) return;
  const auto it = k.used.find(of.key);
  if (it != k.used.end())
    it->second = used;
  else if (k.used.size() < most_)
    k.used.emplace(of.key, used);
}

void budget_table::turn(time_point now) {
  ends_ = time_point::max();
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    auto& k = kinds_[i];
    if (now >= k.period.end) {
      k.period = period_of(static_cast<config::budget_period>(i), now);
      k.used.clear();
      k.full = false;
    }
    ends_ = std::min(ends_, k.period.end);
  }
}

std::size_t budget_table::size() const {
  std::size_t out = 0;
  for (const auto& k : kinds_) out += k.used.size();
  return out;
}

}  // namespace gate::guards
