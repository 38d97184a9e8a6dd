#include "actors/federation/list_sources.hpp"

#include <algorithm>
#include <iterator>

namespace gate::federation {

void list_sources::adopt(snapshot_ptr snapshot) {
  const auto before = std::exchange(snapshot_, std::move(snapshot));
  for (const auto& u : before->upstreams)
    if (const auto* now = snapshot_->at(u.index))
      cache_.keep_for(u.index, u.cache_ttl, now->cache_ttl);
    else {
      own_.erase(u.index);
      cache_.forget(u.index);
    }
}

list_cache& list_sources::cache_of(std::size_t upstream) {
  const auto& u = *snapshot_->at(upstream);
  const bool here =
      !how_.shared || u.per_caller || (how_.clients && u.per_client) || own_.contains(upstream);
  return here ? cache_ : how_.shared->cache_;
}

/// All only ever grow, so each sum changes whenever one of its parts does.
std::uint64_t list_sources::version() const {
  return cache_.version() + (how_.shared ? how_.shared->cache_.version() : 0);
}

std::uint64_t list_sources::holds() const {
  return cache_.holds() + (how_.shared ? how_.shared->cache_.holds() : 0);
}

std::uint64_t list_sources::doubts() const {
  return cache_.doubts() + (how_.shared ? how_.shared->cache_.doubts() : 0);
}

bool list_sources::own(std::size_t upstream) {
  if (!own_.insert(upstream).second) return false;
  cache_.forget(upstream);
  return true;
}

void list_sources::share(std::size_t upstream) {
  if (own_.erase(upstream)) cache_.forget(upstream);
}

const list_cache::listing* list_sources::listed(std::size_t upstream) {
  if (!snapshot_->at(upstream)) return nullptr;
  const auto& out = cache_of(upstream).listed(upstream);
  return out.items ? &out : nullptr;
}

list_cache::look list_sources::ask(const config::compiled_upstream& u, time_point now,
                                   std::vector<wanted>& fetch) {
  auto& cache = cache_of(u.index);
  auto look = cache.ask(u.index, now, u.cache_ttl);
  if (look.fetch) fetch.push_back({u.index, look.fill, &cache != &cache_});
  return look;
}

bool list_sources::prepare_one(std::size_t upstream, time_point now, std::vector<wanted>& fetch) {
  const auto* u = snapshot_->at(upstream);
  if (!u || !asks(*u)) return true;
  const auto look = ask(*u, now, fetch);
  return !look.wait && !look.hope;
}

void list_sources::look_for(std::size_t upstream, time_point now, std::vector<wanted>& fetch) {
  const auto* u = snapshot_->at(upstream);
  if (!u) return;
  if (const auto look = cache_.ask(upstream, now, u->cache_ttl); look.fetch)
    fetch.push_back({upstream, look.fill, false});
}

bool list_sources::awaits(std::size_t upstream) {
  if (!snapshot_->at(upstream)) return false;
  const auto& cache = cache_of(upstream);
  return cache.waits_for(upstream) || cache.hopes_for(upstream);
}

std::vector<std::size_t> list_sources::give_up_waiting(time_point since) {
  auto out = cache_.give_up_waiting(since);
  if (how_.shared)
    std::ranges::copy(how_.shared->cache_.give_up_waiting(since), std::back_inserter(out));
  return out;
}

}  // namespace gate::federation
