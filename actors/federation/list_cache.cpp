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
    out.wait = !out.items;
    out.fill = e.fill;
    return out;
  }
  if (now < e.quiet_until) return out;
  e.filling = true;
  e.fill = next_fill_++;
  if (!ttl && e.items) {
    e.items = nullptr;  // callers must wait for the fresh one
    ++version_;
  }
  out.fetch = true;
  out.wait = !out.items;
  out.fill = e.fill;
  return out;
}

bool list_cache::filled(std::size_t i, std::uint64_t fill, mcp::shared_items items, time_point now,
                        std::optional<std::chrono::milliseconds> ttl) {
  auto& e = entries_[i];
  if (!e.filling || e.fill != fill) return false;
  e.filling = false;
  e.items = std::move(items);
  e.error.clear();
  e.quiet_until = {};
  e.fresh_until = ttl ? now + *ttl : time_point{};
  ++version_;
  return true;
}

bool list_cache::failed(std::size_t i, std::uint64_t fill, std::string error, time_point now) {
  auto& e = entries_[i];
  if (!e.filling || e.fill != fill) return false;
  e.filling = false;
  e.error = std::move(error);
  e.quiet_until = now + limits::failed_fill;
  return true;
}

void list_cache::invalidate(std::size_t i) {
  auto& e = entries_[i];
  e.fresh_until = {};
  e.quiet_until = {};
  e.filling = false;
  e.items = nullptr;
  ++version_;
}

void list_cache::lost(std::size_t i, time_point now) {
  auto& e = entries_[i];
  if (e.filling) failed(i, e.fill, {}, now);
}

bool list_cache::anybody_waits() const {
  return std::ranges::any_of(entries_, [](const entry& e) { return e.filling && !e.items; });
}

time_point list_cache::fresh_until() const {
  auto out = time_point::max();
  for (const auto& e : entries_) out = std::min(out, e.items ? e.fresh_until : time_point{});
  return out;
}

}  // namespace gate::federation
