#include "actors/fleet/shared_budget_actor.hpp"

#include <limits>

#include "actors/fleet/scope_names.hpp"
#include "actors/guards/budget_actor.hpp"

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

shared_budget_actor::shared_budget_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                         shared_budget_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      table_(parts_.most),
      debts_(parts_.instance + ":", parts_.most),
      windows_(limits::upstreams) {}

shared_budget_actor::behavior_type shared_budget_actor::make_behavior() {
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
      [this](const show_usage& m) { return show(m); },
      [this](ask_gathered) { ask_all(); },
      [this](const refund& m) {
        if (!m.scopes) return;
        table_.refund(*m.scopes, m.at);
        owe(*m.scopes, m.at, -1);
        if (here_) pay();
      },
  };
}

void shared_budget_actor::on_exit() {
  parts_.store = nullptr;
}

void shared_budget_actor::begin(request a) {
  if (!a.room.scopes && !a.costs.scopes)
    return tell(a, {.number = a.room.number}, payment_of(a.costs, {}));
  if (!here_) return decide(a);
  const std::pair about(a.room.scopes, a.costs.scopes);
  if (gathered_.add(about, std::move(a))) send(this, ask_gathered{});
}

void shared_budget_actor::ask_all() {
  tell_windows(1);  // again, if it would not listen
  for (auto& all : gathered_.take()) ask({std::move(all)});
}

void shared_budget_actor::ask(question q) {
  const auto id = next_++;
  static const std::vector<rate_scope> unlimited;
  static const std::vector<allowance> free;
  const auto& a = q.all.front();
  auto what = ask_for_both(id, a.room.scopes ? *a.room.scopes : unlimited,
                           a.costs.scopes ? *a.costs.scopes : free, there(), q.all.size());
  asked_.emplace(id, std::move(q));
  send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void shared_budget_actor::tell(const request& a, admitted room, charged costs) {
  if (!a.room.asker) return send(a.costs.asker, std::move(costs));
  if (room.yes && a.costs.scopes) room.price = std::make_shared<const charged>(std::move(costs));
  send(a.room.asker, std::move(room));
}

void shared_budget_actor::on_told(const store_told& m) {
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
  auto& q = node.mapped();
  const auto& first = q.all.front();
  const auto count = [](const auto& scopes) { return scopes ? scopes->size() : 0; };
  if (answered)
    if (const auto told =
            read_stage(m.reply->root(), count(first.room.scopes), count(first.costs.scopes)))
      return answer(std::move(q), *told);
  for (const auto& a : q.all) decide(a);
}

void shared_budget_actor::answer(question q, const stage_told& told) {
  const auto& costs = told.budgets;
  lead_ = costs.at - parts_.wall();
  pay();  // what an earlier attempt did not bring
  if (costs.is == charge_told::what::another_period) {
    // Twice: its clock stood at a period's edge, or jumps.
    if (!std::exchange(q.again, true)) return ask(std::move(q));
    for (const auto& a : q.all) decide(a);
    return;
  }
  if (const auto& scopes = q.all.front().costs.scopes)
    for (std::size_t i = 0; i < costs.used.size(); ++i)
      table_.know((*scopes)[i], costs.used[i], costs.at);
  const bool too_much = costs.is == charge_told::what::refused;
  const auto fit = too_much || told.windows.refused_by ? told.fit : q.all.size();
  auto has_room = told.windows;
  has_room.refused_by.reset();
  for (std::size_t i = 0; i < q.all.size(); ++i) {
    const auto& a = q.all[i];
    const bool yes = i < fit;
    admitted room{.number = a.room.number};
    if (a.room.scopes) room = windows_.on(a.room, yes ? has_room : told.windows, clock().now());
    tell(a, room,
         yes || !too_much
             ? payment_of(a.costs, costs.at)
             : refusal(a.costs, costs.refused_by, costs.used[costs.refused_by], costs.at));
  }
}

void shared_budget_actor::decide(const request& a) {
  const auto now = clock().now();
  admitted room{.number = a.room.number};
  if (!a.costs.scopes) return tell(a, windows_.decide(a.room, now), {});
  if (a.room.scopes) room = windows_.look(a.room, now);
  if (!room.yes) return tell(a, room, {});
  auto costs = decide(a.costs);
  if (costs.yes && a.room.scopes) room = windows_.decide(a.room, now);
  tell(a, room, std::move(costs));
}

charged shared_budget_actor::decide(const charge& m) {
  parts_.degraded.add();
  const auto now = there();
  const auto a = table_.charge(*m.scopes, now);
  guards::report(a, table_.size());
  if (!a.yes) return refusal(m, a.refused_by, a.used, now);
  owe(*m.scopes, now, 1);
  return payment_of(m, now);
}

void shared_budget_actor::owe(const std::vector<allowance>& scopes, wall_time at,
                              std::int64_t each) {
  for (const auto& s : scopes) {
    auto d = debt_of(s, at);
    d.sum = each;
    debts_.add(std::move(d));  // a table that is full has said so
  }
}

usage_shown shared_budget_actor::show(const show_usage& m) {
  usage_shown out{windows_.use(m.scopes, clock().now()), {}};
  if (m.costs)
    for (const auto& a : *m.costs) out.budgets.push_back(table_.use(a, there()));
  return out;
}

/// Without what is owed: that is added.
void shared_budget_actor::note_uses() {
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

void shared_budget_actor::tell_uses() {
  while (!uses_.empty()) {
    const auto id = next_++;
    send(parts_.store,
         ask_store{ask_for_at_least(id, uses_.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

void shared_budget_actor::tell_windows(std::size_t most) {
  auto& parts = windows_.untold_parts();
  for (; most > 0 && !parts.empty(); --most) {
    const auto id = next_++;
    send(parts_.store,
         ask_store{ask_for_at_least(id, parts.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

void shared_budget_actor::pay() {
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
