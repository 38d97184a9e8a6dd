#include "actors/router/loose_holds.hpp"

#include "protocol/limits.hpp"

namespace gate::routing {

void loose_holds::forget(std::string key) {
  auto question = fleet::forget_look(0, key, line_.name());
  add({std::move(key), std::move(question)});
  tell();
}

void loose_holds::leave(std::string key, store_request question, fleet_line::then then,
                        std::chrono::seconds after) {
  add({std::move(key), std::move(question), std::move(then), unit_.now() + after});
}

/// Of too many the first is given up: its mark ends by itself, later. One that was only looked at
/// rather than one that was left, which has something open at upstreams that nobody else may end.
void loose_holds::add(loose one) {
  (one.then ? left_ : looked_at_).push_back(std::move(one));
  if (looked_at_.size() + left_.size() > limits::sessions_unknown)
    (looked_at_.empty() ? left_ : looked_at_).pop_front();
}

void loose_holds::tell() {
  tell(left_);
  tell(looked_at_);
}

void loose_holds::tell(std::deque<loose>& of) {
  if (!line_.ready()) return;
  const auto now = unit_.now();
  auto room = limits::store_debts_at_once;
  for (auto left = of.size(); left > 0 && room > 0; --left) {
    auto one = std::move(of.front());
    of.pop_front();
    if (held_(one.key)) continue;
    if (one.due > now || sought_(one.key)) {
      of.push_back(std::move(one));
      continue;
    }
    --room;
    auto question = one.question;
    line_.ask(std::move(question), [this, one = std::move(one)](const store_told& m) {
      if (m.outcome != store_outcome::ok) return add(one);
      if (one.then) one.then(m);
    });
  }
}

}  // namespace gate::routing
