#include "actors/fleet/shared_limiter_actor.hpp"

#include <limits>
#include <optional>

#include "actors/fleet/stage_question.hpp"

namespace gate::fleet {
shared_limiter_actor::shared_limiter_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                           store_handle store, std::size_t most_principals)
    : pinned(cfg, unit), store_(std::move(store)), windows_(most_principals) {}

shared_limiter_actor::behavior_type shared_limiter_actor::make_behavior() {
  send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        here_ = m.here;
        if (m.anew) windows_.note_all(clock().now());
        // In front of all that is asked from now on.
        if (here_) tell_windows(std::numeric_limits<std::size_t>::max());
      },
      [this](const admit& m) { begin(m); },
      [this](const show_usage& m) -> usage_shown {
        return {windows_.use(m.scopes, clock().now()), {}};
      },
      [this](ask_gathered) { ask_all(); },
  };
}

void shared_limiter_actor::on_exit() {
  store_ = nullptr;
}

void shared_limiter_actor::begin(const admit& m) {
  if (!m.scopes) return send(m.asker, admitted{.number = m.number});
  if (!here_) return send(m.asker, windows_.decide(m, clock().now()));
  if (gathered_.add(m.scopes, m)) send(this, ask_gathered{});
}

void shared_limiter_actor::ask_all() {
  tell_windows(1);  // again, if it would not listen
  for (auto& all : gathered_.take()) {
    const auto id = next_++;
    auto what = ask_for_room(id, *all.front().scopes, all.size());
    asked_.emplace(id, std::move(all));
    send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
  }
}

void shared_limiter_actor::on_told(const store_told& m) {
  const bool answered = m.outcome == store_outcome::ok && m.reply;
  if (windows_.untold_parts().told(m.id, answered)) return;
  const auto node = asked_.extract(m.id);
  if (!node) return;
  const auto& all = node.mapped();
  const auto now = clock().now();
  std::optional<stage_told> told;
  if (answered) {
    tell_windows(std::numeric_limits<std::size_t>::max());
    told = read_stage(m.reply->root(), all.front().scopes->size(), 0);
  }
  if (!told) {
    for (const auto& q : all) send(q.asker, windows_.decide(q, now));
    return;
  }
  const auto& no = told->windows;
  auto yes = no;
  yes.refused_by.reset();
  const auto fit = no.refused_by ? told->fit : all.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    send(all[i].asker, windows_.on(all[i], i < fit ? yes : no, now));
}

void shared_limiter_actor::tell_windows(std::size_t most) {
  auto& parts = windows_.untold_parts();
  for (; most > 0 && !parts.empty(); --most) {
    const auto id = next_++;
    send(store_,
         ask_store{ask_for_at_least(id, parts.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

}  // namespace gate::fleet
