#include "actors/guards/rate_table.hpp"

#include <utility>

namespace gate::guards {
namespace {

/// More than one, so that the table shrinks though every question may bring a new scope.
constexpr int swept_at_once = 2;

}  // namespace

rate_table::rate_table(std::size_t most_principals) : most_(most_principals) {}

rate_table::answer rate_table::look(std::span<const rate_scope> scopes, time_point now) {
  found_.clear();
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const auto it = windows_.find(scopes[i].key);
    found_.push_back(it == windows_.end() ? nullptr : &*it);
    if (found_.back() == nullptr) continue;  // a new window has room: no limit is below 1
    const auto& window = found_.back()->second.window;
    if (window.has_room(scopes[i].per_minute, now)) continue;
    return {.yes = false,
            .refused_by = i,
            .retry_after = window.retry_after(scopes[i].per_minute, now)};
  }
  return {};
}

std::vector<window_use> rate_table::use(std::span<const rate_scope> scopes, time_point now) const {
  std::vector<window_use> out(scopes.size());
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const auto it = windows_.find(scopes[i].key);
    if (it == windows_.end()) continue;
    const auto& window = it->second.window;
    out[i].used = window.used(now);
    out[i].clears_in = window.clears_in(now);
    if (!window.has_room(scopes[i].per_minute, now))
      out[i].retry_after = window.retry_after(scopes[i].per_minute, now);
  }
  return out;
}

rate_table::answer rate_table::admit(std::span<const rate_scope> scopes, time_point now) {
  sweep(now);
  if (const auto no = look(scopes, now); !no.yes) return no;
  for (auto* known : found_) {
    if (known == nullptr) continue;
    known->second.window.take(now);
    by_age_.splice(by_age_.end(), by_age_, known->second.place);
  }
  bool counted = true;
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (found_[i] == nullptr) counted = create(scopes[i].key, now) && counted;
  return {.overflows = !counted && !std::exchange(full_, true)};
}

void rate_table::know(const scope_key& key, const sliding_window& window, time_point now) {
  sweep(now);
  auto it = windows_.find(key);
  if (it == windows_.end()) {
    if (window.idle(now) || !create(key, now)) return;
    it = windows_.find(key);
  } else {
    by_age_.splice(by_age_.end(), by_age_, it->second.place);
  }
  it->second.window = window;
}

/// The order of `by_age_` is the order in which windows become idle.
void rate_table::sweep(time_point now) {
  for (int i = 0; i < swept_at_once && !by_age_.empty(); ++i) {
    const auto& [key, oldest] = *by_age_.front();
    if (!oldest.window.idle(now)) break;
    if (key.what == scope::principal) --principals_;
    windows_.erase(windows_.find(key));
    by_age_.pop_front();
  }
  if (full_ && principals_ * 10 <= most_ * 9) full_ = false;
}

bool rate_table::create(const scope_key& key, time_point now) {
  // Growing later would move all windows at once, on some call's way; and where nothing is limited
  // there is no first one.
  if (windows_.empty()) windows_.reserve(most_);
  const bool bounded = key.what == scope::principal;
  if (bounded && principals_ >= most_) return false;
  const auto [it, fresh] = windows_.try_emplace(key);
  it->second.window.take(now);
  if (!fresh) return true;  // the question names it twice
  if (bounded) ++principals_;
  it->second.place = by_age_.insert(by_age_.end(), &*it);
  return true;
}

}  // namespace gate::guards
