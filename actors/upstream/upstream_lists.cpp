// UPSTREAM: lists that instances of a fleet share. Who has which one decides `list_share`.
#include "actors/upstream/upstream.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

void upstream::fetch(fetch_list& m) {
  if (retiring_ || !lists_ || !lists_->takes(m)) return enter(m);
  ask(lists_->owed(m.kind));
  ask(lists_->look(std::move(m), clock().now()));
}

void upstream::ask(std::optional<store_request> what) {
  if (what) send(shared_->store, ask_store{std::move(*what), caf::actor_cast<store_asker>(this)});
}

/// A list that is there passes no guard: the upstream is not asked.
void upstream::on(const store_told& m) {
  if (lists_) ask(lists_->on_forgotten(m));
  auto next = lists_ ? lists_->on_told(m, clock().now()) : std::nullopt;
  if (!next) return;
  using what = list_share::decision::what;
  switch (next->is) {
    case what::read:
      return pass_on(next->list);
    case what::fetch:
      return enter(next->list);
    case what::ask_again:
      delayed_send(this, limits::store_list_look, look_again{next->number});
  }
}

void upstream::on(look_again m) {
  if (lists_) ask(lists_->again(m.number, clock().now()));
}

void upstream::on(const list_read& m) {
  if (lists_) ask(lists_->on_read(m));
}

/// Told as if the root session had heard it: if it has, in the same moment, that is one change.
void upstream::on(const store_heard& m) {
  if (retiring_ || !lists_) return;
  if (const auto kind = lists_->on_news(m, clock().now()))
    send(shared_->router, list_changed{shared_->config.index, *kind, true, 0, 0});
}

void upstream::on(const store_turned& m) {
  if (retiring_ || !lists_) return;
  const bool doubt = lists_->on_turned(m.here, clock().now());
  for (std::size_t k = 0; m.here && k < mcp::kept_list_kinds; ++k)
    ask(lists_->owed(static_cast<mcp::list_kind>(k)));
  for (std::size_t k = 0; doubt && k < mcp::kept_list_kinds; ++k)
    send(shared_->router,
         list_changed{shared_->config.index, static_cast<mcp::list_kind>(k), false, 0, 0});
}

void upstream::on(const list_heard& m) {
  if (lists_) ask(lists_->on_heard(m, clock().now()));
}

}  // namespace gate::upstream
