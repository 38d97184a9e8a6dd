#include "simulations/replay/playing_store.hpp"

#include <utility>

#include "protocol/resp/reader.hpp"

namespace gate::replay {

playing_store::playing_store(caf::actor_config& cfg, std::shared_ptr<store_book> book,
                             std::shared_ptr<sim::fake_store> own, store_handle door)
    : store_handle::extend<caf::reacts_to<store_answer_due>>::base(cfg),
      book_(std::move(book)),
      own_(std::move(own)),
      door_(std::move(door)) {}

playing_store::behavior_type playing_store::make_behavior() {
  return {
      [this](ask_store& m) { ask(m); },
      [this](const watch_store& m) { send(door_, m); },
      [this](const listen_to_store& m) { send(door_, m); },
      [this](const unlisten_store& m) { send(door_, m); },
      [this](store_answer_due& m) { send(m.to, std::move(m.what)); },
  };
}

void playing_store::ask(ask_store& m) {
  // Taken in any case: what was asked while it was away is nobody else's answer.
  auto was = book_->take(m.what);
  if (!was || !own_->here()) return send(door_, std::move(m));
  // Done in any case: what is asked later may be about it.
  auto own = own_->run(m.what, clock().now());
  store_told told{m.what.id, was->outcome, nullptr};
  const bool readable = !was->reply.empty();
  if (readable || was->outcome == store_outcome::ok) {
    told.reply = resp::parse(readable ? was->reply : own);
    told.outcome = sim::outcome_of(told.reply->root());
  }
  delayed_send(this, was->after, store_answer_due{std::move(m.asker), std::move(told)});
}

}  // namespace gate::replay
