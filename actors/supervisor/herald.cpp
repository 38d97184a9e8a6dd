#include "actors/supervisor/herald.hpp"

#include <type_traits>

namespace gate::supervisor {
namespace {

/// Where its handle is; of one that belongs to a slot, for reading only.
template <role R>
auto& place(staff& s, const upstream_slots& slots, const child& who) {
  if constexpr (R == role::upstream)
    return slots.at(who.index).units[who.unit];
  else if constexpr (R == role::breaker)
    return slots.at(who.index).breaker;
  else if constexpr (R == role::balancer)
    return slots.at(who.index).balancer;
  else
    return supervisor::place<R>(s, who);
}

/// Calls `what` with the role as a type: which handle it has, and who takes `replaced` of it, the
/// compiler knows.
template <std::size_t I = 0, class What>
auto with_role(role r, What&& what) {
  if constexpr (I + 1 < roles)
    if (r != static_cast<role>(I)) return with_role<I + 1>(r, what);
  return what(std::integral_constant<role, static_cast<role>(I)>{});
}

}  // namespace

template <role R>
void herald::announce(const child& who) {
  [[maybe_unused]] constexpr auto& hear = row_of(R).hear;
  [[maybe_unused]] const auto& now = place<R>(staff_, slots_, who);
  [[maybe_unused]] const replaced<std::remove_cvref_t<decltype(now)>> news{now, who.index};
  if constexpr (hear.routers) tell_routers(news);
  if constexpr (hear.its_router) tell_router(who.unit, news);
  if constexpr (hear.upstreams)
    for (std::size_t i = 0; i < slots_.size(); ++i) tell_upstreams(i, news);
  if constexpr (hear.its_upstreams) tell_upstreams(who.index, news);
  if constexpr (hear.mint)
    if (staff_.mint) self_.send(staff_.mint, news);
  if constexpr (hear.audit)
    if (staff_.audit) self_.send(staff_.audit, news);
  if constexpr (hear.health)
    if (who.unit == 0) tell_health(news);
}

void herald::announce(const child& who) {
  with_role(who.what, [&](auto r) { announce<decltype(r)::value>(who); });
}

void herald::forget(const child& who) {
  with_role(who.what, [&](auto r) {
    auto& handle = place<decltype(r)::value>(staff_, slots_, who);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(handle)>>) handle = nullptr;
  });
}

bool herald::is_there(const child& who) const {
  return with_role(who.what,
                   [&](auto r) { return bool(place<decltype(r)::value>(staff_, slots_, who)); });
}

void herald::announce(const snapshot_ptr& now, std::size_t unit) {
  const federation_update whom{now, slots_.on_unit(unit)};
  tell_router(unit, whom);
  if (unit == 0) tell_health(whom);
}

void herald::announce(const snapshot_ptr& now) {
  for (std::size_t n = 0; n < staff_.routers.size(); ++n) announce(now, n);
}

}  // namespace gate::supervisor
