#include "actors/federation/list_cache.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::federation {

list_cache::look list_cache::ask(std::size_t i, time_point now,
                                 std::optional<std::chrono::milliseconds> ttl) {
  auto& e = entries_[i];
  look out;
  if (ttl) out.items = e.items;
  if (out.items && now < e.fresh_until) return out;
  if (e.filling) {
    out.wait = !out.items && !e.late;
    out.fill = e.fill;
    return out;
  }
  if (now < e.quiet_until) return out;
  e.filling = true;
  e.asked = now;
  e.dirty = e.second = false;
  e.refused = nullptr;
  e.fill = next_fill_++;
  if (!ttl && e.items) {
    e.items = nullptr;  // callers must wait for the fresh one
    ++version_;
  }
  out.fetch = true;
  out.wait = !out.items && !e.late;
  out.fill = e.fill;
  return out;
}

list_cache::taken list_cache::filled(std::size_t i, std::uint64_t fill, mcp::shared_items items,
                                     time_point now, std::optional<std::chrono::milliseconds> ttl) {
  auto& e = entries_[i];
  if (!e.filling || e.fill != fill) return taken::unexpected;
  if (e.dirty && !e.second) {
    e.dirty = false;
    e.second = true;
    e.fill = next_fill_++;
    return taken::again;
  }
  e.filling = e.late = false;
  e.items = std::move(items);
  e.error.clear();
  e.quiet_until = {};
  e.fresh_until = ttl && !e.dirty ? now + *ttl : time_point{};
  ++version_;
  return taken::yes;
}

list_cache::taken list_cache::failed(std::size_t i, std::uint64_t fill, std::string error,
                                     time_point now, std::shared_ptr<const refusal> refused) {
  auto& e = entries_[i];
  if (!e.filling || e.fill != fill) return taken::unexpected;
  e.filling = false;
  e.items = nullptr;  // old items served while they were refreshed; that has come to nothing
  e.error = std::move(error);
  e.refused = std::move(refused);
  e.quiet_until = now + limits::failed_fill;
  ++version_;
  return taken::yes;
}

void list_cache::invalidate(std::size_t i) {
  auto& e = entries_[i];
  e.fresh_until = {};
  e.quiet_until = {};
  e.dirty = e.filling;
  e.items = nullptr;
  ++version_;
}

void list_cache::suspect(std::size_t i) {
  entries_[i].fresh_until = {};
  ++version_;
}

void list_cache::keep_for(std::size_t i, std::optional<std::chrono::milliseconds> before,
                          std::optional<std::chrono::milliseconds> ttl) {
  auto& e = entries_[i];
  if (before == ttl || e.fresh_until == time_point{}) return;
  e.fresh_until = before && ttl ? e.fresh_until - *before + *ttl : time_point{};
  ++version_;
}

void list_cache::give_up_waiting(time_point since) {
  for (auto& e : entries_)
    if (e.filling && !e.items && e.asked <= since) e.late = true;
}

void list_cache::forget(std::size_t i) {
  entries_[i] = {};
  ++version_;
}

void list_cache::lost(std::size_t i, time_point now) {
  auto& e = entries_[i];
  if (e.filling) failed(i, e.fill, {}, now);
}

bool list_cache::waits_for(std::size_t i) const {
  const auto& e = entries_[i];
  return e.filling && !e.items && !e.late;
}

time_point list_cache::fresh_until(std::size_t i) const {
  const auto& e = entries_[i];
  return e.items ? e.fresh_until : time_point{};
}

}  // namespace gate::federation
