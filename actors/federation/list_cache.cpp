#include "actors/federation/list_cache.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"
#include "protocol/mcp/cursor.hpp"

namespace gate::federation {
namespace {

/// How long an upstream that has failed so often in a row is left alone before it is looked for.
std::chrono::seconds look_pause(unsigned failures, bool vain) {
  const auto doublings = std::min(failures, 16U) - 1;
  return std::min(limits::look_again * (1U << doublings),
                  vain ? limits::look_again_in_vain : limits::look_again_most);
}

bool equal(const mcp::shared_rest& a, const mcp::shared_rest& b) {
  return a == b || (a && b && *a == *b);
}

/// … but for how long the list holds.
bool say_the_same(const mcp::shared_rest& a, const mcp::shared_rest& b) {
  static const mcp::list_rest nothing;
  return (a ? *a : nothing).says_as(b ? *b : nothing);
}

}  // namespace

list_cache::look list_cache::ask(std::size_t i, time_point now,
                                 std::optional<std::chrono::milliseconds> ttl) {
  auto& e = entries_[i];
  look out;
  if (ttl) out.items = e.listed.items;
  if (out.items && now < e.fresh_until) return out;
  const auto await = [&] {
    out.wait = !out.items && !e.late && !e.sick;
    out.hope = !out.items && !e.late && e.sick;
    out.fill = e.fill;
    return out;
  };
  if (e.filling) return await();
  if (now < e.quiet_until) return out;
  e.filling = true;
  e.asked = now;
  e.dirty = e.second = e.begun_again = e.missed = false;
  e.refused = nullptr;
  e.fill = next_fill_++;
  if (!ttl) clear(e);  // callers must wait for the fresh one
  out.fetch = true;
  return await();
}

list_cache::taken list_cache::filled(std::size_t i, std::uint64_t fill, mcp::shared_items items,
                                     time_point now, std::optional<std::chrono::milliseconds> ttl,
                                     mcp::shared_rest rest) {
  if (!known(i).filling || known(i).fill != fill) return taken::unexpected;
  auto& e = entries_[i];
  if (e.dirty && !e.second) {
    e.dirty = false;
    e.second = true;
    e.fill = next_fill_++;
    return taken::again;
  }
  e.filling = e.late = e.sick = e.announced = e.vain = false;
  e.failures = 0;
  e.again_at = never_due;
  e.error.clear();
  e.quiet_until = {};
  e.fresh_until = ttl && !e.dirty ? now + *ttl : time_point{};
  if (take_over(e, std::move(items), std::move(rest))) ++version_;
  return taken::yes;
}

/// False: it is what was there before.
bool list_cache::take_over(entry& e, mcp::shared_items items, mcp::shared_rest rest) {
  auto& kept = e.listed;
  const bool says_else = !say_the_same(kept.rest, rest);
  if (!equal(kept.rest, rest)) {
    kept.rest = std::move(rest);
    ++holds_;
  }
  if (kept.items && (kept.items == items || equal(*kept.items, *items))) return says_else;
  kept.digests.clear();
  kept.digests.reserve(items->size());
  auto all = mcp::digest_start;
  bytes_ -= std::exchange(kept.bytes, 0);
  for (const auto& item : *items) {
    kept.bytes += sizeof item + item.key.size() + item.raw.size();
    if (item.rules) kept.bytes += sizeof *item.rules + item.rules->wrapped.size();
    kept.digests.push_back(mcp::extend_digest(mcp::digest_start, item.raw));
    all = mcp::extend_digest(all, kept.digests.back());
  }
  bytes_ += kept.bytes;
  kept.items = pool_ ? pool_->same(std::move(items), all) : std::move(items);
  kept.annotated.clear();
  for (const auto& item : *kept.items)
    if (item.rules && item.rules->says_how_to_call()) kept.annotated.emplace(item.key, &item);
  return true;
}

bool list_cache::clear(entry& e) {
  if (!e.listed.items) return false;
  bytes_ -= e.listed.bytes;
  e.listed = {};
  ++version_;
  return true;
}

/// Old items were served while they were refreshed; that has come to nothing.
list_cache::taken list_cache::end_in_vain(std::size_t i, std::uint64_t fill, time_point now,
                                          bool refused) {
  if (!known(i).filling || known(i).fill != fill) return taken::unexpected;
  auto& e = entries_[i];
  e.filling = false;
  clear(e);
  e.error.clear();
  e.quiet_until = now + limits::failed_fill;
  put_off(i, now, refused);
  return taken::yes;
}

void list_cache::put_off(std::size_t i, time_point now, bool refused) {
  auto& e = entries_[i];
  e.missed = false;
  // Beyond the longest pause an outage counts no further, until asking was in vain; a refusal never
  // does.
  const bool usual = look_pause(e.failures + 1, true) <= 2 * limits::look_again_most;
  if (usual || (e.vain && !refused)) ++e.failures;
  e.again_at = now + look_pause(e.failures, e.vain);
  next_due_ = std::min(next_due_, e.again_at);
}

void list_cache::miss(std::size_t i, time_point now) {
  put_off(i, now);
  entries_[i].missed = true;
}

bool list_cache::take_missed(std::size_t i) {
  if (!known(i).missed) return false;
  auto& e = entries_[i];
  e.missed = false;
  return !e.filling && !e.listed.items;
}

list_cache::taken list_cache::failed(std::size_t i, std::uint64_t fill, std::string error,
                                     time_point now, std::shared_ptr<const refusal> refused) {
  if (!known(i).filling || known(i).fill != fill) return taken::unexpected;
  auto& e = entries_[i];
  // What a limit refuses says nothing of the server: whoever was told has yet to ask it.
  if (!refused && std::exchange(e.announced, false)) e.vain = true;
  end_in_vain(i, fill, now, refused != nullptr);
  e.error = std::move(error);
  if (!refused) e.sick = true;
  if (refused && refused->retry_after_ms > 0)
    e.again_at = std::max(e.again_at, now + std::chrono::milliseconds(refused->retry_after_ms));
  e.refused = std::move(refused);
  return taken::yes;
}

std::vector<std::size_t> list_cache::take_due(time_point now) {
  std::vector<std::size_t> out;
  if (now < next_due_) return out;
  next_due_ = never_due;
  for (auto& [i, e] : entries_) {
    if (e.again_at > now) {
      next_due_ = std::min(next_due_, e.again_at);
      continue;
    }
    e.again_at = never_due;
    if (!e.filling && !e.listed.items) out.push_back(i);
  }
  return out;
}

void list_cache::invalidate(std::size_t i) {
  auto& e = entries_[i];
  e.fresh_until = {};
  e.quiet_until = {};
  e.dirty = e.filling;
  if (!clear(e)) ++doubts_;
}

void list_cache::suspect(std::size_t i) {
  if (const auto it = entries_.find(i); it != entries_.end()) it->second.fresh_until = {};
  ++doubts_;
}

void list_cache::keep_for(std::size_t i, std::optional<std::chrono::milliseconds> before,
                          std::optional<std::chrono::milliseconds> ttl) {
  if (before == ttl || known(i).fresh_until == time_point{}) return;
  auto& e = entries_[i];
  e.fresh_until = before && ttl ? e.fresh_until - *before + *ttl : time_point{};
  ++doubts_;
}

std::vector<std::size_t> list_cache::give_up_waiting(time_point since) {
  std::vector<std::size_t> out;
  for (auto& [i, e] : entries_) {
    if (!e.filling || e.late || e.listed.items || e.asked > since) continue;
    e.late = true;
    out.push_back(i);
  }
  return out;
}

void list_cache::forget(std::size_t i) {
  bytes_ -= known(i).listed.bytes;
  entries_.erase(i);
  ++version_;
}

/// It is none of the upstream's failures, so that it is waited for as ever.
bool list_cache::lost(std::size_t i, time_point now, bool wanted) {
  if (!known(i).filling) return false;
  auto& e = entries_[i];
  if (wanted && !std::exchange(e.begun_again, true)) {
    e.fill = next_fill_++;
    return true;
  }
  e.refused = nullptr;
  end_in_vain(i, e.fill, now, false);
  return false;
}

bool list_cache::waits_for(std::size_t i) const {
  const auto& e = known(i);
  return e.filling && !e.listed.items && !e.late && !e.sick;
}

bool list_cache::hopes_for(std::size_t i) const {
  const auto& e = known(i);
  return e.filling && !e.listed.items && !e.late && e.sick;
}

bool list_cache::unknown(std::size_t i) const {
  const auto& e = known(i);
  return !e.filling && !e.listed.items && e.failures == 0;
}

time_point list_cache::fresh_until(std::size_t i) const {
  const auto& e = known(i);
  return e.listed.items ? e.fresh_until : time_point{};
}

}  // namespace gate::federation
