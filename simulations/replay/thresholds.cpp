#include "simulations/replay/thresholds.hpp"

#include <caf/send.hpp>

#include <utility>

namespace gate::replay {
namespace {

void hand_on(before_router&& m) {
  std::visit([&]<class M>(M&& what) { caf::anon_send(m.to, std::forward<M>(what)); },
             std::move(m.what));
}

bool is_update(const before_router& m) {
  return std::holds_alternative<federation_update>(m.what);
}

}  // namespace

void thresholds::take(std::size_t unit, before_router&& m) {
  auto& u = units_[unit];
  if (const auto* update = std::get_if<federation_update>(&m.what)) {
    // What a ROUTER begins with is none that it takes over.
    const bool another = u.last && u.last != update->snapshot;
    u.last = update->snapshot;
    if (another && !open_ && u.free == 0) return u.waiting.push_back(std::move(m));
    if (another && u.free > 0) --u.free;
  }
  if (u.waiting.empty()) return hand_on(std::move(m));
  u.waiting.push_back(std::move(m));
}

/// The first configuration, and what was said behind it before the next.
void thresholds::pass_first(one& u) {
  do {
    hand_on(std::move(u.waiting.front()));
    u.waiting.pop_front();
  } while (!u.waiting.empty() && !is_update(u.waiting.front()));
}

void thresholds::open(std::size_t unit) {
  auto& u = units_[unit];
  if (u.waiting.empty())
    ++u.free;
  else
    pass_first(u);
}

void thresholds::open_all() {
  open_ = true;
  for (auto& u : units_)
    while (!u.waiting.empty()) pass_first(u);
}

}  // namespace gate::replay
