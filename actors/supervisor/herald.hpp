#pragma once
/// Tells whom the table of children says who runs at a place now. Part of GATEWAY.
#include "actors/supervisor/gateway_interface.hpp"
#include "actors/supervisor/staff.hpp"
#include "actors/supervisor/upstream_slots.hpp"

namespace gate::supervisor {

class herald {
 public:
  herald(gateway_self& self, staff& all, const upstream_slots& slots)
      : self_(self), staff_(all), slots_(slots) {}

  /// The one at this place, or that there is none.
  void announce(const child& who);
  /// The one at this place, if it is none of a slot, is forgotten.
  void forget(const child& who);
  bool is_there(const child& who) const;
  /// All routers, and HEALTH: the configuration, and the upstreams on their unit.
  void announce(const snapshot_ptr& now);
  void announce(const snapshot_ptr& now, std::size_t unit);

  template <class Message>
  void tell_routers(const Message& m) {
    for (auto& r : staff_.routers)
      if (r) self_.send(r, m);
  }
  template <class Message>
  void tell_upstreams(std::size_t index, const Message& m) {
    for (const auto& u : slots_.at(index).units)
      if (u) self_.send(u, m);
  }

 private:
  template <role R>
  void announce(const child& who);
  /// What ROUTER takes in the order in which it is said, over its threshold if there is one.
  template <class Message>
  void tell_router(std::size_t unit, const Message& m) {
    const auto& r = staff_.routers[unit];
    if (!r) return;
    if (const auto& t = staff_.thresholds[unit])
      self_.send(t, before_router{r, m});
    else
      self_.send(r, m);
  }

  /// What HEALTH takes in that order, too. A ROUTER that is not there is not waited for: its
  /// successor is told all of it again, and so is HEALTH.
  template <class Message>
  void tell_health(const Message& m) {
    if (!staff_.health) return;
    if (staff_.thresholds.front() && staff_.routers.front())
      tell_router(0, for_health{staff_.health, m});
    else
      self_.send(staff_.health, m);
  }

  gateway_self& self_;
  staff& staff_;
  const upstream_slots& slots_;
};

}  // namespace gate::supervisor
