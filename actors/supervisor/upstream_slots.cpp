#include "actors/supervisor/upstream_slots.hpp"

#include <algorithm>

namespace gate::supervisor {
namespace {

constexpr auto dynamic = [](const auto& actor) { return caf::actor_cast<caf::actor>(actor); };

}  // namespace

void upstream_slots::extend(std::size_t slots) {
  slots_.resize(std::max(slots_.size(), slots));
}

void upstream_slots::open(const config::compiled_upstream& u) {
  children_.vacate(u.index);
  auto& s = slots_[u.index];
  s = {};
  s.config = std::make_shared<const config::compiled_upstream>(u);
  s.units.resize(units_);
  for (std::size_t i = 0; i < units_; ++i)
    s.tools.push_back(std::make_shared<upstream::tool_memory>());
  start_breaker(u.index);
  start_balancer(u.index);
}

void upstream_slots::start(std::size_t unit, std::size_t index) {
  auto& s = slots_[index];
  auto& here = s.units[unit];
  here = door_.make_upstream({role::upstream, unit, index}, s);
  if (s.breaker) door_.listen(s.breaker, here);
  if (unit == 0 && s.balancer) door_.probe_by(s.balancer, here);
}

void upstream_slots::start_breaker(std::size_t index) {
  const child who{role::breaker, 0, index};
  auto& s = slots_[index];
  s.breaker = door_.make_breaker(who, s);
  door_.announce(who);
  for (const auto& u : s.units)
    if (u) door_.listen(s.breaker, u);
  door_.show_health(s.breaker, {});
}

void upstream_slots::start_balancer(std::size_t index) {
  const child who{role::balancer, 0, index};
  auto& s = slots_[index];
  s.balancer = door_.make_balancer(who, s);
  if (!s.balancer) return;
  door_.announce(who);
  if (const auto& prober = s.units.front()) door_.probe_by(s.balancer, prober);
  door_.show_health({}, s.balancer);
}

void upstream_slots::restart(const child& who) {
  const auto& s = slots_[who.index];
  if (!s.config || s.leaving) return;
  if (who.what == role::breaker && !s.breaker) start_breaker(who.index);
  if (who.what == role::balancer && !s.balancer) start_balancer(who.index);
  if (who.what != role::upstream || s.units[who.unit]) return;
  start(who.unit, who.index);
  door_.announce(who);
}

// --- when one dies -------------------------------------------------------------------------------

void upstream_slots::lost(const child& who) {
  drop(who);
  door_.announce(who);
  if (who.what != role::upstream) return;
  const auto& s = slots_[who.index];
  if (s.leaving) return close(who.index);
  if (who.unit == 0 && s.balancer) door_.probe_by(s.balancer, {});
}

void upstream_slots::drop(const child& who) {
  if (row_of(who.what).of != subject::upstream) return;
  auto& s = slots_[who.index];
  if (who.what == role::breaker) s.breaker = nullptr;
  if (who.what == role::balancer) s.balancer = nullptr;
  if (who.what == role::upstream && who.unit < s.units.size()) s.units[who.unit] = nullptr;
}

void upstream_slots::end_unit(std::size_t unit) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto& s = slots_[i];
    if (!s.config) continue;
    if (auto& actor = s.units[unit]) {
      end(dynamic(actor));
      actor = nullptr;
      door_.announce({role::upstream, unit, i});
    }
    if (s.leaving) close(i);
  }
}

void upstream_slots::end(const caf::actor& who) {
  children_.give_up(who.id());
  door_.end(who);
}

// --- when the configuration no longer has it -----------------------------------------------------

/// It finishes what it has, unguarded: what its guards say would be taken for its successor's.
void upstream_slots::begin_to_leave(std::size_t index) {
  auto& s = slots_[index];
  s.leaving = true;
  const auto breaker = std::exchange(s.breaker, nullptr);
  const auto balancer = std::exchange(s.balancer, nullptr);
  door_.announce({role::breaker, 0, index});
  door_.announce({role::balancer, 0, index});
  if (breaker) end(dynamic(breaker));
  if (balancer) end(dynamic(balancer));
}

void upstream_slots::on_left(const left_upstream& m) {
  const auto& s = slots_[m.upstream];
  if (!s.leaving) return;
  if (const auto& actor = s.units[m.unit])
    door_.retire(actor);
  else
    close(m.upstream);
}

/// If it has ended everywhere.
void upstream_slots::close(std::size_t index) {
  if (!std::ranges::all_of(slots_[index].units, [](const auto& x) { return !x; })) return;
  children_.vacate(index);
  slots_[index] = {};
}

// --- all of them ---------------------------------------------------------------------------------

void upstream_slots::show_all_to_health() {
  for (const auto& s : slots_) door_.show_health(s.breaker, s.balancer);
}

/// Their ends are waited for.
void upstream_slots::end_all() {
  for (const auto& s : slots_) {
    for (const auto& u : s.units)
      if (u) door_.kill(dynamic(u));
    if (s.breaker) door_.kill(dynamic(s.breaker));
    if (s.balancer) door_.kill(dynamic(s.balancer));
  }
}

std::vector<upstream_handle> upstream_slots::on_unit(std::size_t unit) const {
  std::vector<upstream_handle> out;
  for (const auto& s : slots_) out.push_back(s.config ? s.units[unit] : upstream_handle{});
  return out;
}

std::size_t upstream_slots::alive() const {
  std::size_t out = 0;
  for (const auto& s : slots_)
    out += static_cast<std::size_t>(
        std::ranges::count_if(s.units, [](const auto& x) { return bool(x); }));
  return out;
}

}  // namespace gate::supervisor
