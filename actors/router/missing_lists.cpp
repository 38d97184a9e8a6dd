#include "actors/router/missing_lists.hpp"

#include <algorithm>

#include "actors/router/list_news.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

void missing_lists::tick(time_point t) {
  if (unit_.sessions.size() == 0) return;
  shelf_.for_each([&](list_state& state) {
    if (state.compare && t - state.told >= limits::list_news_pause) {
      news_.compare_soon();
    }
    const auto due = state.lists.sources().take_due(t);
    const bool compared = state.lists.moved() && shelf_.can_be_told(state);
    if (due.empty() && !compared) return;
    shelf_.forget_former_views(state);
    std::vector<federation::wanted> wanted;
    // What was invalidated since, be it for one client alone, is compared as well.
    if (compared)
      for (const auto charged : state.lists.ask_unknown(
               t, wanted, [this](std::size_t upstream) { return lists_.is_charged(upstream); }))
        news_.tell(state, charged);
    for (const auto upstream : due)
      if (is_lacked(state, upstream)) look_again(state, upstream, t, wanted);
    lists_.fetch(state, wanted);
  });
}

void missing_lists::look_again(list_state& state, std::size_t upstream, time_point t,
                               std::vector<federation::wanted>& wanted) {
  const auto* u = unit_.snapshot->at(upstream);
  if (!u) return;
  auto& cache = state.lists.sources().cache();
  const bool over_client = u->per_client && state.client;
  if (over_client && !shelf_.can_be_told(state)) return cache.put_off(upstream, t);
  if (!lists_.is_charged(upstream)) return state.lists.sources().look_for(upstream, t, wanted);
  // A limit or a budget refused it: nobody knows better when it does so no longer. (An open circuit
  // has to do with the upstream.)
  const auto& no = cache.refused(upstream);
  const bool limited = no && no->why != reason::upstream_down;
  if (limited) {
    cache.put_off(upstream, t, true);
    return announce(state, upstream);
  }
  cache.miss(upstream, t);
  if (!unit_.upstreams.there(upstream)) return;
  introduce question{state.as, state.caller};
  question.missed = true;
  if (over_client) {
    const auto s = unit_.sessions.find_key(state.client);
    question.profile = s->profile;
    question.client = s->key;
    s->upstreams.add(u->index);
  }
  unit_.upstreams.tell(upstream, std::move(question));
}

/// Was somebody served without this upstream, whose list is kept here?
bool missing_lists::is_lacked(list_state& state, std::size_t upstream) {
  return state.lists.lacks(upstream) ||
         std::ranges::any_of(shelf_.leaning_on(state, upstream),
                             [&](auto* other) { return other->lists.lacks(upstream); });
}

void missing_lists::on_met(std::size_t upstream, std::uint64_t client) {
  const auto* u = unit_.snapshot->at(upstream);
  if (!u) return;
  shelf_.for_each([&](list_state& state) {
    if ((u->per_client ? state.client : 0) != client || !state.lists.sources().keeps(upstream))
      return;
    if (state.lists.sources().cache().take_missed(upstream)) announce(state, upstream);
  });
}

/// It is worth asking: whoever lacks it is told, and nobody else.
void missing_lists::announce(list_state& state, std::size_t upstream) {
  state.lists.sources().cache().announced(upstream);
  if (state.lists.lacks(upstream)) news_.tell(state, upstream);
  for (auto* other : shelf_.leaning_on(state, upstream))
    if (other->lists.lacks(upstream)) news_.tell(*other, upstream);
}

}  // namespace gate::routing
