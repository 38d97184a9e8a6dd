#include "transport/http/client.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "transport/http/client_connection.hpp"
#include "transport/http/pool.hpp"

namespace gate::http {
client::client(scheduler::io_unit& unit, callbacks call, resolve_function resolve,
               answer_rates rates)
    : unit_(unit),
      call_(std::move(call)),
      lookups_(unit, std::move(resolve)),
      rates_(rates),
      sweep_timer_(unit.context()) {
  arm_sweep();
}

client::~client() = default;

void client::start(start_fetch what) {
  const auto [who, met] = askers_.try_emplace(what.asker.id());
  if (met && call_.met) call_.met(what.asker);
  auto& a = who->second;
  if (const auto& to = what.what->to; a.last_to != to) {
    a.last = &pool_of(*to);
    a.last_to = to;
  }
  a.last->start(job{std::move(what), &a, {}, {}, 0, false});
}

pool& client::pool_of(const gate::destination& to) {
  auto key = to.url.origin();
  if (!to.share.empty()) key.append(" ").append(to.share);
  // A connection that others may have is not one that this may have.
  if (to.whom != peers::all)
    key.append(to.whom == peers::public_ones ? " of the public" : " of the public or loopback");
  auto& p = pools_[std::move(key)];
  if (!p) p = std::make_unique<pool>(*this, to);
  return *p;
}

/// Upstreams come and go.
void client::remove_unused_pools() {
  if (std::erase_if(pools_, [](const auto& x) { return x.second->unused(); }) == 0) return;
  for (auto& [id, a] : askers_) a.last_to = nullptr;
}

void client::abandon(const abandon_fetch& what) {
  const auto it = askers_.find(what.asker.id());
  if (it == askers_.end()) return;
  for (auto* c : it->second.busy)
    if (c->carries(what)) return c->abandon();
  auto& waits = it->second.waits;
  for (auto p = waits.begin(); p != waits.end(); ++p) {
    if (!(*p)->abandon(what)) continue;
    if (!(*p)->waits(what.asker.id())) waits.erase(p);
    return;
  }
}

void client::forget(caf::actor_id who) {
  const auto it = askers_.find(who);
  if (it == askers_.end()) return;
  for (auto* p : std::exchange(it->second.waits, {})) p->forget(who);
  while (!it->second.busy.empty()) it->second.busy.back()->abandon();
  askers_.erase(it);
}

void client::arm_sweep() {
  sweep_timer_.expires_after(limits::sweep);
  sweep_timer_.async_wait([this, life = std::weak_ptr(life_)](boost::system::error_code ec) {
    if (ec || life.expired()) return;
    const scheduler::handler_scope scope(unit_);
    now_ = pool::clock::now();
    for (auto& [origin, p] : pools_) p->sweep(now_);
    remove_unused_pools();
    arm_sweep();
  });
}

}  // namespace gate::http
