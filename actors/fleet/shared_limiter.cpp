#include "actors/fleet/shared_limiter.hpp"

#include "actors/guards/rate_limiter.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {

shared_limiter::shared_limiter(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store,
                               std::size_t most_principals)
    : pinned(cfg, unit), store_(std::move(store)), table_(most_principals) {}

shared_limiter::behavior_type shared_limiter::make_behavior() {
  send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        here_ = m.here;
        if (m.anew) tell_windows();
      },
      [this](const admit& m) { ask(m); },
  };
}

void shared_limiter::on_exit() {
  store_ = nullptr;
}

void shared_limiter::ask(admit m) {
  if (!m.scopes) return send(m.asker, admitted{.number = m.number});
  if (!here_) return decide(m);
  const auto id = next_++;
  auto what = ask_for_room(id, *m.scopes);
  asked_.emplace(id, std::move(m));
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void shared_limiter::on_told(const store_told& m) {
  const auto node = asked_.extract(m.id);
  if (!node) return;
  const auto& question = node.mapped();
  if (m.outcome == store_outcome::ok && m.reply)
    if (const auto told = read_windows(m.reply->root(), question.scopes->size()))
      return answer(question, *told);
  decide(question);
}

void shared_limiter::answer(const admit& m, const windows_told& told) {
  lead_ = told.at - clock().now();
  const auto& scopes = *m.scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i) table_.know(scopes[i].key, told.each[i], told.at);
  admitted out{.number = m.number, .yes = !told.refused_by};
  if (const auto i = told.refused_by) {
    out.refused_by = scopes[*i].key.what;
    out.retry_after = told.each[*i].retry_after(scopes[*i].per_minute, told.at);
  }
  send(m.asker, out);
}

void shared_limiter::tell_windows() {
  std::vector<known_window> all;
  const auto tell = [&] {
    if (all.empty()) return;
    send(store_, ask_store{ask_for_at_least(next_++, all), caf::actor_cast<store_asker>(this)});
    all.clear();
  };
  table_.for_each(there(), [&](const scope_key& scope, const guards::sliding_window& window) {
    all.push_back(window_of(scope, window));
    if (all.size() >= limits::store_debts_at_once) tell();
  });
  tell();
}

void shared_limiter::decide(const admit& m) {
  send(m.asker, guards::admitted_by(table_, m, there()));
}

}  // namespace gate::fleet
