#include "actors/upstream/shared_fetches.hpp"

#include "actors/fleet/shared_budget_actor.hpp"

namespace gate::upstream {

shared_fetches::shared_fetches(const context& of, doors& to) : index_(of.config.index), to_(to) {
  if (of.store)
    share_.emplace(of.config, fleet::name_of_a_life(of.outside.random), of.store_database);
}

std::vector<fetch_list> shared_fetches::take_all() {
  return share_ ? share_->take_all() : std::vector<fetch_list>{};
}

void shared_fetches::fetch(fetch_list& m, time_point now) {
  if (!share_ || !share_->takes(m)) return to_.enter(m);
  ask(share_->owed(m.kind));
  ask(share_->look(std::move(m), now));
}

void shared_fetches::ask(std::optional<store_request> what) {
  if (what) to_.ask(std::move(*what));
}

void shared_fetches::again(std::uint64_t number, time_point now) {
  if (share_) ask(share_->again(number, now));
}

void shared_fetches::on(const list_read& m) {
  if (share_) ask(share_->on_read(m));
}

void shared_fetches::on(const list_heard& m, time_point now) {
  if (share_) ask(share_->on_heard(m, now));
}

void shared_fetches::on(const store_told& m, time_point now) {
  if (!share_) return;
  ask(share_->on_forgotten(m));
  auto next = share_->on_told(m, now);
  if (!next) return;
  using what = list_share::decision::what;
  switch (next->is) {
    case what::read:
      return to_.pass_on(next->list);
    case what::fetch:
      return to_.enter(next->list);
    case what::ask_again:
      return to_.look_later(next->number);
  }
}

/// Told as if the root session had heard it: if it has, in the same moment, that is one change.
void shared_fetches::on(const store_heard& m, time_point now) {
  if (!share_) return;
  if (const auto kind = share_->on_news(m, now)) to_.changed({index_, *kind, true, 0, 0});
}

void shared_fetches::on(const store_turned& m, time_point now) {
  if (!share_) return;
  const bool doubt = share_->on_turned(m.here, now);
  for (std::size_t k = 0; k < mcp::kept_list_kinds; ++k) {
    const auto kind = static_cast<mcp::list_kind>(k);
    if (m.here) ask(share_->owed(kind));
    if (doubt) to_.changed({index_, kind, false, 0, 0});
  }
}

}  // namespace gate::upstream
