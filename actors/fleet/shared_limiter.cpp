#include "actors/fleet/shared_limiter.hpp"

#include <limits>

#include "actors/fleet/stage_question.hpp"

namespace gate::fleet {
namespace {

constexpr auto all = std::numeric_limits<std::size_t>::max();

}  // namespace

shared_limiter::shared_limiter(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store,
                               std::size_t most_principals)
    : pinned(cfg, unit), store_(std::move(store)), windows_(most_principals) {}

shared_limiter::behavior_type shared_limiter::make_behavior() {
  send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](const store_told& m) { on_told(m); },
      [this](const store_turned& m) {
        here_ = m.here;
        if (m.anew) windows_.note_all(clock().now());
        // In front of all that is asked from now on.
        if (here_) tell_windows(all);
      },
      [this](const admit& m) { ask(m); },
  };
}

void shared_limiter::on_exit() {
  store_ = nullptr;
}

void shared_limiter::ask(admit m) {
  if (!m.scopes) return send(m.asker, admitted{.number = m.number});
  if (!here_) return send(m.asker, windows_.decide(m, clock().now()));
  tell_windows(1);  // again, if it would not listen
  const auto id = next_++;
  auto what = ask_for_room(id, *m.scopes);
  asked_.emplace(id, std::move(m));
  send(store_, ask_store{std::move(what), caf::actor_cast<store_asker>(this)});
}

void shared_limiter::on_told(const store_told& m) {
  const bool answered = m.outcome == store_outcome::ok && m.reply;
  if (windows_.untold_parts().told(m.id, answered)) return;
  const auto node = asked_.extract(m.id);
  if (!node) return;
  const auto& question = node.mapped();
  if (answered) {
    tell_windows(all);
    if (const auto told = read_stage(m.reply->root(), question.scopes->size(), 0))
      return send(question.asker, windows_.on(question, told->windows, clock().now()));
  }
  send(question.asker, windows_.decide(question, clock().now()));
}

void shared_limiter::tell_windows(std::size_t most) {
  auto& parts = windows_.untold_parts();
  for (; most > 0 && !parts.empty(); --most) {
    const auto id = next_++;
    send(store_,
         ask_store{ask_for_at_least(id, parts.next(id)), caf::actor_cast<store_asker>(this)});
  }
}

}  // namespace gate::fleet
