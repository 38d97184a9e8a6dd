#include "actors/fleet/shared_budget.hpp"

#include <limits>

#include "actors/fleet/scope_names.hpp"
#include "actors/guards/budget.hpp"

namespace gate::fleet {
namespace {

charged refusal(const charge& m, std::size_t by, std::int64_t used, wall_time at) {
  const auto& s = (*m.scopes)[by];
  charged out;
  out.number = m.number;
  out.yes = false;
  out.scope = s.key;
  out.used = used;
  out.limit = s.upstream_calls;
  out.resets = guards::period_of(s.period, at).end;
  out.at = at;
  return out;
}

charged payment_of(const charge& m, wall_time at) {
  charged out;
  out.number = m.number;
  out.paid = m.scopes;
  out.at = at;
  return out;
}

}  // namespace

std::string name_of_a_life(const random_source& random) {
  std::array<std::uint8_t, 16> bytes;
  random(bytes);
  return hex(bytes);
}

shared_budget::shared_budget(caf::actor_config& cfg, caf::execution_unit* unit,
                             shared_budget_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      table_(parts_.most),
      debts_(parts_.instance + ":", parts_.most),
      windows_(limits::upstreams) {}

shared_budget::behavior_type shared_budget::make_behavior() {
  send(parts_.store, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        here_ = m.here;
        if (m.anew) note_uses();
        // In front of all that is asked from now on, so that the store has counted it by then.
        if (here_) pay();
      },
      [this](const admit& m) {
        begin({m, {0, m.costs, {}}});
      },
      [this](const charge& m) {
        begin({{}, m});
      },
      [this](const refund& m) {
        if (!m.scopes) return;
        table_.refund(*m.scopes, m.at);
        owe(*m.scopes, m.at, -1);
        if (here_) pay();
      },
  };
}

void shared_budget::on_exit() {
  parts_.store = nullptr;
}

void shared_budget::begin(asked a) {
  if (!a.room.scopes && !a.costs.scopes)
    return tell(a, {.number = a.room.number}, payment_of(a.costs, {}));
  if (!here_) return decide(a);
  ask(std::move(a));
}

void shared_budget::ask(asked a) {
  tell_windows(1);  // again, if it would not listen
  const auto id = next_++;
  static const std::vector<rate_scope> unlimited;
  static const std::vector<allowance> free;
  auto what = ask_for_both(id, a.room.scopes ? *a.room.scopes : unlimited,
                           a.costs.scopes ? *a.costs.scopes : free, there());
  asked_.emplace(id, std::move(a));
  send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void shared_budget::tell(const asked& a, admitted room, charged costs) {
  if (!a.room.asker) return send(a.costs.asker, std::move(costs));
  if (room.yes && a.costs.scopes) room.price = std::make_shared<const charged>(std::move(costs));
  send(a.room.asker, std::move(room));
}

void shared_budget::on_told(const store_told& m) {
  const bool answered = m.outcome == store_outcome::ok && m.reply;
  if (auto node = paying_.extract(m.id)) {
    if (answered)
      debts_.paid(node.mapped());
    else
      debts_.unpaid(std::move(node.mapped()));
    return;
  }
  if (uses_.told(m.id, answered) || windows_.untold_parts().told(m.id, answered)) return;
  auto node = asked_.extract(m.id);
  if (!node) return;
  auto& a = node.mapped();
  const auto count = [](const auto& scopes) { return scopes ? scopes->size() : 0; };
  if (answered)
    if (const auto told = read_stage(m.reply->root(), count(a.room.scopes), count(a.costs.scopes)))
      return answer(std::move(a), *told);
  decide(a);
}

void shared_budget::answer(asked a, const stage_told& told) {
  const auto& costs = told.budgets;
  lead_ = costs.at - parts_.wall();
  pay();  // what an earlier attempt did not bring
  if (costs.is == charge_told::what::another_period) {
    // Twice: its clock stood at a period's edge, or jumps.
    if (std::exchange(a.again, true)) return decide(a);
    return ask(std::move(a));
  }
  admitted room{.number = a.room.number};
  if (a.room.scopes) room = windows_.on(a.room, told.windows, clock().now());
  const auto& m = a.costs;
  for (std::size_t i = 0; i < costs.used.size(); ++i)
    table_.know((*m.scopes)[i], costs.used[i], costs.at);
  if (costs.is == charge_told::what::refused)
    return tell(a, room, refusal(m, costs.refused_by, costs.used[costs.refused_by], costs.at));
  tell(a, room, payment_of(m, costs.at));
}

void shared_budget::decide(const asked& a) {
  const auto now = clock().now();
  admitted room{.number = a.room.number};
  if (!a.costs.scopes) return tell(a, windows_.decide(a.room, now), {});
  if (a.room.scopes) room = windows_.look(a.room, now);
  if (!room.yes) return tell(a, room, {});
  auto costs = decide(a.costs);
  if (costs.yes && a.room.scopes) room = windows_.decide(a.room, now);
  tell(a, room, std::move(costs));
}

charged shared_budget::decide(const charge& m) {
  parts_.degraded.add();
  const auto now = there();
  const auto a = table_.charge(*m.scopes, now);
  guards::report(a, table_.size());
  if (!a.yes) return refusal(m, a.refused_by, a.used, now);
  owe(*m.scopes, now, 1);
  return payment_of(m, now);
}

void shared_budget::owe(const std::vector<allowance>& scopes, wall_time at, std::int64_t each) {
  for (const auto& s : scopes) {
    auto d = debt_of(s, at);
    d.sum = each;
    debts_.add(std::move(d));  // a table that is full has said so
  }
}

/// Without what is owed: that is added.
void shared_budget::note_uses() {
  windows_.note_all(clock().now());
  const auto owed = debts_.sums();
  uses_.clear();
  std::vector<debt> all;
  const auto add = [&] {
    if (!all.empty()) uses_.add(std::move(all));
    all = {};
  };
  table_.for_each([&](const scope_key& scope, config::budget_period kind,
                      const guards::calendar_period& period, std::int64_t used) {
    auto d = debt_of({scope, kind, 0}, period.begin);
    const auto own = owed.find(d.key);
    d.sum = used - (own == owed.end() ? 0 : own->second);
    if (d.sum <= 0 || period.end <= there()) return;
    all.push_back(std::move(d));
    if (all.size() >= limits::store_debts_at_once) add();
  });
  add();
}

void shared_budget::tell_uses() {
  while (!uses_.empty()) {
    const auto id = next_++;
    send(parts_.store,
         ask_store{ask_for_at_least(id, uses_.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

void shared_budget::tell_windows(std::size_t most) {
  auto& parts = windows_.untold_parts();
  for (; most > 0 && !parts.empty(); --most) {
    const auto id = next_++;
    send(parts_.store,
         ask_store{ask_for_at_least(id, parts.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

void shared_budget::pay() {
  tell_uses();
  tell_windows(std::numeric_limits<std::size_t>::max());
  while (!debts_.empty()) {
    const auto id = next_++;
    auto portion = debts_.next();
    auto what = ask_to_add(id, portion.name, portion.all);
    paying_.emplace(id, std::move(portion));
    send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
  }
}

}  // namespace gate::fleet
