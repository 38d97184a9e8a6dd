#include "actors/federation/catalogue.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::federation {

catalogue::catalogue(mcp::list_kind kind, snapshot_ptr snapshot, catalogue* shared, bool everybodys)
    : kind_(kind),
      snapshot_(std::move(snapshot)),
      shared_(shared),
      everybodys_(everybodys),
      cache_(snapshot_->slots) {}

list_cache& catalogue::cache_of(std::size_t upstream) {
  return shared_ && !snapshot_->at(upstream)->per_caller ? shared_->cache_ : cache_;
}

/// Both only ever grow, so their sum changes whenever one of them does.
std::uint64_t catalogue::version() const {
  return cache_.version() + (shared_ ? shared_->cache_.version() : 0);
}

view_list& catalogue::of(const config::view_ptr& view) {
  auto it = views_.find(view->id());
  if (it == views_.end()) {
    if (views_.size() >= limits::list_views)
      views_.erase(
          std::ranges::min_element(views_, {}, [](const auto& x) { return x.second.last_use; }));
    it = views_.emplace(view->id(), view_list(kind_, snapshot_, view)).first;
  }
  it->second.last_use = ++uses_;
  return it->second;
}

bool catalogue::prepare(const config::view_ptr& view, time_point now, std::vector<wanted>& fetch) {
  return prepare(of(view), now, fetch);
}

void catalogue::prepare_all(time_point now, std::vector<wanted>& fetch) {
  for (auto& [id, l] : views_) prepare(l, now, fetch);
}

bool catalogue::prepare(view_list& l, time_point now, std::vector<wanted>& fetch) {
  // The common case: nothing has changed and nothing has expired since the last look.
  if (l.checked_version == version() && now < l.fresh_until) return true;
  bool ready = true;
  auto fresh_until = time_point::max();
  for (const auto& u : snapshot_->upstreams) {
    if (!l.needs(u) || (everybodys_ && u.per_caller)) continue;
    auto& cache = cache_of(u.index);
    const auto look = cache.ask(u.index, now, u.cache_ttl);
    if (look.fetch) fetch.push_back({u.index, look.fill, &cache != &cache_});
    if (look.wait) ready = false;
    fresh_until = std::min(fresh_until, cache.fresh_until(u.index));
  }
  if (ready) {
    l.checked_version = version();
    l.fresh_until = fresh_until;
  }
  return ready;
}

std::optional<std::size_t> catalogue::known_owner(const config::view_ptr& view,
                                                  std::string_view key, time_point now) {
  auto& l = list(view);
  const auto found = l.owner(key);
  if (!found || (l.checked_version == version() && now < l.fresh_until)) return found;
  for (const auto& u : snapshot_->upstreams) {
    if (l.needs(u) && now >= cache_of(u.index).fresh_until(u.index)) return {};
    if (u.index == *found) break;
  }
  return found;
}

bool catalogue::complete(const config::view_ptr& view) {
  const auto& l = of(view);
  return std::ranges::none_of(snapshot_->upstreams, [&](const auto& u) {
    return l.needs(u) && cache_of(u.index).waits_for(u.index);
  });
}

view_list& catalogue::list(const config::view_ptr& view) {
  auto& l = of(view);
  l.merge(version(),
          [this](std::size_t i) -> const mcp::shared_items& { return cache_of(i).items(i); });
  return l;
}

void catalogue::give_up_waiting(time_point since) {
  cache_.give_up_waiting(since);
  if (shared_) shared_->cache_.give_up_waiting(since);
}

bool catalogue::differs_from_served() {
  return std::ranges::any_of(views_, [this](auto& x) { return differs_from_served(x.second); });
}

bool catalogue::differs_from_served(view_list& l) {
  const auto waits = [&](const auto& u) {
    return l.needs(u) && cache_of(u.index).waits_for(u.index);
  };
  if (!l.served() || std::ranges::any_of(snapshot_->upstreams, waits)) return false;
  l.merge(version(),
          [this](std::size_t i) -> const mcp::shared_items& { return cache_of(i).items(i); });
  return l.differs_from_served();
}

void catalogue::adopt(snapshot_ptr snapshot, const succession& views) {
  const auto before = std::exchange(snapshot_, std::move(snapshot));
  cache_.make_room(snapshot_->slots);
  for (const auto& u : before->upstreams)
    if (const auto* now = snapshot_->at(u.index))
      cache_.keep_for(u.index, u.cache_ttl, now->cache_ttl);
    else
      cache_.forget(u.index);
  auto old = std::exchange(views_, {});
  for (const auto& [was, is] : views) {
    const auto at = old.find(was->id());
    if (at == old.end() || !at->second.served()) continue;
    auto [it, fresh] = views_.try_emplace(is->id(), kind_, snapshot_, is);
    it->second.inherit_served(at->second);
  }
}

std::vector<std::uint64_t> catalogue::take_changed_views() {
  std::vector<std::uint64_t> out;
  for (auto& [id, l] : views_) {
    if (!differs_from_served(l)) continue;
    l.forget_served();
    out.push_back(id);
  }
  return out;
}

bool catalogue::served() const {
  return std::ranges::any_of(views_, [](const auto& x) { return x.second.served(); });
}

void catalogue::forget_served() {
  for (auto& [id, l] : views_) l.forget_served();
}

}  // namespace gate::federation
