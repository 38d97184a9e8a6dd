#include "actors/fleet/shared_budget.hpp"

#include "actors/fleet/scope_names.hpp"
#include "actors/guards/budget.hpp"

namespace gate::fleet {

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
      debts_(parts_.instance + ":", parts_.most) {}

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
      [this](const charge& m) { begin(m); },
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

void shared_budget::begin(charge m) {
  if (!m.scopes) {
    charged free;
    free.number = m.number;
    return send(m.asker, std::move(free));
  }
  if (!here_) return decide(m);
  ask({std::move(m)});
}

void shared_budget::ask(asked a) {
  const auto id = next_++;
  auto what = ask_to_charge(id, *a.question.scopes, there());
  asked_.emplace(id, std::move(a));
  send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
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
  if (auto node = telling_.extract(m.id)) {
    if (!answered) untold_.push_back(std::move(node.mapped()));
    return;
  }
  auto node = asked_.extract(m.id);
  if (!node) return;
  auto& a = node.mapped();
  if (answered)
    if (const auto told = read_charge(m.reply->root(), a.question.scopes->size()))
      return answer(std::move(a), *told);
  decide(a.question);
}

void shared_budget::answer(asked a, const charge_told& told) {
  lead_ = told.at - parts_.wall();
  pay();  // what an earlier attempt did not bring
  const auto& m = a.question;
  if (told.is == charge_told::what::another_period) {
    // Twice: its clock stood at a period's edge, or jumps.
    if (std::exchange(a.again, true)) return decide(m);
    return ask(std::move(a));
  }
  const auto& scopes = *m.scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i) table_.know(scopes[i], told.used[i], told.at);
  if (told.is == charge_told::what::refused)
    return refuse(m, told.refused_by, told.used[told.refused_by], told.at);
  allow(m, told.at);
}

void shared_budget::refuse(const charge& m, std::size_t by, std::int64_t used, wall_time at) {
  const auto& s = (*m.scopes)[by];
  charged out;
  out.number = m.number;
  out.yes = false;
  out.scope = s.key;
  out.used = used;
  out.limit = s.upstream_calls;
  out.resets = guards::period_of(s.period, at).end;
  out.at = at;
  send(m.asker, std::move(out));
}

void shared_budget::allow(const charge& m, wall_time at) {
  charged out;
  out.number = m.number;
  out.paid = m.scopes;
  out.at = at;
  send(m.asker, std::move(out));
}

void shared_budget::decide(const charge& m) {
  parts_.degraded.add();
  const auto now = there();
  const auto a = table_.charge(*m.scopes, now);
  guards::report(a, table_.size());
  if (!a.yes) return refuse(m, a.refused_by, a.used, now);
  owe(*m.scopes, now, 1);
  allow(m, now);
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
  const auto owed = debts_.sums();
  untold_.clear();
  table_.for_each([&](const scope_key& scope, config::budget_period kind,
                      const guards::calendar_period& period, std::int64_t used) {
    auto d = debt_of({scope, kind, 0}, period.begin);
    const auto own = owed.find(d.key);
    d.sum = used - (own == owed.end() ? 0 : own->second);
    if (d.sum <= 0 || period.end <= there()) return;
    if (untold_.empty() || untold_.back().size() >= limits::store_debts_at_once)
      untold_.emplace_back();
    untold_.back().push_back(std::move(d));
  });
}

void shared_budget::tell_uses() {
  for (; !untold_.empty(); untold_.pop_front()) {
    const auto id = next_++;
    auto what = ask_for_at_least(id, untold_.front());
    telling_.emplace(id, std::move(untold_.front()));
    send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
  }
}

void shared_budget::pay() {
  tell_uses();
  while (!debts_.empty()) {
    const auto id = next_++;
    auto portion = debts_.next();
    auto what = ask_to_add(id, portion.name, portion.all);
    paying_.emplace(id, std::move(portion));
    send(parts_.store, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
  }
}

}  // namespace gate::fleet
