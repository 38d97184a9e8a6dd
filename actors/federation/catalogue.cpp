#include "actors/federation/catalogue.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::federation {

catalogue::catalogue(mcp::list_kind kind, snapshot_ptr snapshot, catalogue* shared, bool everybodys,
                     commons_ptr common, bool clients)
    : kind_(kind),
      common_(common ? std::move(common) : std::make_shared<commons>()),
      sources_(std::move(snapshot), {shared ? &shared->sources_ : nullptr, everybodys, clients},
               std::shared_ptr<item_pool>(common_, &common_->items)) {}

/// Is this upstream asked for this list?
bool catalogue::asks(const view_list& l, const config::compiled_upstream& u) const {
  return l.needs(u) && sources_.asks(u);
}

view_list& catalogue::of(const config::view_ptr& view) {
  auto it = views_.find(view->id());
  if (it == views_.end()) {
    if (views_.size() >= limits::list_views)
      views_.erase(
          std::ranges::min_element(views_, {}, [](const auto& x) { return x.second.last_use; }));
    it = views_.emplace(view->id(), view_list(kind_, sources_.snapshot_handle(), view, common_))
             .first;
  }
  it->second.last_use = ++uses_;
  return it->second;
}

bool catalogue::prepare(const config::view_ptr& view, time_point now, std::vector<wanted>& fetch,
                        use what) {
  return prepare(of(view), now, fetch, what);
}

void catalogue::prepare_all(time_point now, std::vector<wanted>& fetch, const which& spared) {
  for (auto& [id, l] : views_) prepare(l, now, fetch, use::shown, &spared);
}

bool catalogue::prepare(view_list& l, time_point now, std::vector<wanted>& fetch, use what,
                        const which* spared) {
  // The common case: nothing has changed and nothing has expired since the last look.
  if (l.checked == sources_.doubts() && now < l.fresh_until) return true;
  bool ready = true, all = true, there = false, hope = false;
  auto fresh_until = time_point::max();
  for (const auto& u : sources_.snapshot().upstreams) {
    if (!asks(l, u)) continue;
    if (spared && (*spared)(u.index)) {
      all = false;
      continue;
    }
    const auto look = sources_.ask(u, now, fetch);
    fresh_until = std::min(fresh_until, sources_.cache_of(u.index).fresh_until(u.index));
    all = all && !look.wait;
    if (what == use::shown && !l.reaches(u)) continue;
    ready = ready && !look.wait;
    there |= look.items != nullptr;
    hope |= look.hope;
  }
  if (all) {
    l.checked = sources_.doubts();
    l.fresh_until = fresh_until;
  }
  return ready && (there || !hope);
}

std::optional<std::size_t> catalogue::known_owner(const config::view_ptr& view,
                                                  std::string_view key, time_point now) {
  auto& l = list(view);
  const auto found = l.owner(key);
  if (!found || (l.checked == sources_.doubts() && now < l.fresh_until)) return found;
  for (const auto& u : sources_.snapshot().upstreams) {
    if (l.needs(u) && now >= sources_.cache_of(u.index).fresh_until(u.index)) return {};
    if (u.index == *found) break;
  }
  return found;
}

bool catalogue::complete(const config::view_ptr& view, use what) {
  const auto& l = of(view);
  bool there = false, hope = false;
  for (const auto& u : sources_.snapshot().upstreams) {
    if (!asks(l, u) || (what == use::shown && !l.reaches(u))) continue;
    const auto& cache = sources_.cache_of(u.index);
    if (cache.waits_for(u.index)) return false;
    there |= cache.items(u.index) != nullptr;
    hope |= cache.hopes_for(u.index);
  }
  return there || !hope;
}

view_list& catalogue::merged(view_list& l) {
  const auto of = [this](std::size_t i) -> const list_cache::listing& {
    return sources_.cache_of(i).listed(i);
  };
  l.merge(sources_.version(), of);
  l.hold(sources_.holds(), of);
  return l;
}

view_list& catalogue::list(const config::view_ptr& view) {
  return merged(of(view));
}

bool catalogue::differs_from_served() {
  return std::ranges::any_of(views_, [this](auto& x) { return differs_from_served(x.second); });
}

/// What is on its way, or has yet to be asked for, may be what was there before.
bool catalogue::waits(const view_list& l) {
  return std::ranges::any_of(sources_.snapshot().upstreams, [&](const auto& u) {
    if (!asks(l, u) || !l.reaches(u)) return false;
    const auto& cache = sources_.cache_of(u.index);
    return cache.waits_for(u.index) || cache.unknown(u.index);
  });
}

bool catalogue::differs_from_served(view_list& l) {
  return l.served() && !waits(l) && merged(l).differs_from_served();
}

bool catalogue::lacks(std::size_t upstream) {
  const auto* u = sources_.snapshot().at(upstream);
  return u && std::ranges::any_of(views_, [&](const auto& x) {
           return x.second.served() && asks(x.second, *u) && x.second.reaches(*u);
         });
}

std::set<std::size_t> catalogue::ask_unknown(time_point now, std::vector<wanted>& fetch,
                                             const which& spared) {
  std::set<std::size_t> out;
  for (const auto& [id, l] : views_) {
    if (!l.served()) continue;
    for (const auto& u : sources_.snapshot().upstreams) {
      if (!asks(l, u) || !l.reaches(u)) continue;
      if (!sources_.cache_of(u.index).unknown(u.index)) continue;
      if (spared(u.index))
        out.insert(u.index);
      else
        sources_.ask(u, now, fetch);
    }
  }
  return out;
}

void catalogue::adopt(snapshot_ptr snapshot, const succession& views) {
  sources_.adopt(std::move(snapshot));
  auto old = std::exchange(views_, {});
  for (const auto& [was, is] : views) {
    const auto at = old.find(was->id());
    if (at == old.end() || !at->second.served()) continue;
    auto [it, fresh] = views_.try_emplace(is->id(), kind_, sources_.snapshot_handle(), is, common_);
    it->second.inherit_served(at->second);
  }
}

std::vector<std::uint64_t> catalogue::take_changed_views() {
  std::vector<std::uint64_t> out;
  bool settled = true;
  for (auto& [id, l] : views_) {
    if (!l.served()) continue;
    if (waits(l)) {
      settled = false;  // and is compared when that has come, or has not
      continue;
    }
    if (!merged(l).differs_from_served()) continue;
    l.forget_served();
    out.push_back(id);
  }
  compared_ = settled ? sources_.version() : ~std::uint64_t{0};
  return out;
}

bool catalogue::served() const {
  return std::ranges::any_of(views_, [](const auto& x) { return x.second.served(); });
}

void catalogue::forget_served(std::size_t upstream) {
  const auto* u = sources_.snapshot().at(upstream);
  for (auto& [id, l] : views_)
    if (u && l.reaches(*u)) l.forget_served();
}

bool catalogue::pass_on(const config::policy_view& was, const config::view_ptr& is) {
  const auto from = views_.find(was.id());
  if (from == views_.end() || !from->second.served()) return true;
  from->second.last_use = ++uses_;  // or it could make room for the other
  auto& to = of(is);
  if (waits(to) || merged(to).is_news_after(from->second)) return true;
  to.note_served();
  return false;
}

void catalogue::keep_views(const std::vector<config::view_ptr>& these) {
  std::erase_if(views_, [&](const auto& x) {
    return std::ranges::none_of(these, [&](const auto& view) { return view->id() == x.first; });
  });
}

}  // namespace gate::federation
