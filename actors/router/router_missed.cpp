// ROUTER: upstreams that lists lack. They are looked for, less and less often, and whoever lacks
// one is told when it comes. Where asking for a list is counted by a limit or a budget, nothing of
// it is spent on nobody's behalf: once a pause is over such an upstream is only met, which is free,
// and if it answers, clients are told; whoever asks then has it asked. Others' handshakes announce
// nothing.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/limits.hpp"

namespace gate {

/// What was found to be news a moment ago is compared again, too; and whoever saw a list that is
/// counted, and was invalidated since, is told that it may be another one by now.
void router::look_again(time_point t) {
  if (sessions_.size() == 0) return;
  for_each_list([&](list_state& state) {
    if (state.compare && t - state.told >= limits::list_news_pause) {
      news_of_the_federation();
      arm_notify();
    }
    const auto due = state.lists.take_due(t);
    const bool compared = state.lists.moved() && can_be_told(state);
    if (due.empty() && !compared) return;
    forget_former_views(state);
    std::vector<federation::wanted> wanted;
    // What was invalidated since, be it for one client alone, is compared as well.
    if (compared)
      for (const auto charged : state.lists.ask_unknown(
               t, wanted, [this](std::size_t upstream) { return is_charged(upstream); }))
        tell(state, charged);
    for (const auto upstream : due)
      if (is_lacked(state, upstream)) look_again(state, upstream, t, wanted);
    fetch(state, wanted, nullptr, 0);
  });
}

void router::look_again(list_state& state, std::size_t upstream, time_point t,
                        std::vector<federation::wanted>& wanted) {
  const auto* u = snapshot_->at(upstream);
  if (!u) return;
  auto& cache = state.lists.cache();
  const bool over_client = u->per_client && state.client;
  if (over_client && !can_be_told(state)) return cache.put_off(upstream, t);
  if (!is_charged(upstream)) return state.lists.look_for(upstream, t, wanted);
  // A limit or a budget refused it: nobody knows better when it does so no longer. (An open circuit
  // has to do with the upstream.)
  const auto& no = cache.refused(upstream);
  const bool limited = no && no->why != reason::upstream_down;
  if (limited) {
    cache.put_off(upstream, t, true);
    return announce(state, upstream);
  }
  cache.miss(upstream, t);
  if (!upstreams_[upstream]) return;
  introduce question{state.as, state.caller};
  question.missed = true;
  if (over_client) {
    const auto s = sessions_.find_key(state.client);
    question.profile = s->profile;
    question.client = s->key;
    s->upstreams.add(u->index);
  }
  send(upstreams_[upstream], std::move(question));
}

/// Was somebody served without this upstream, whose list is kept here?
bool router::is_lacked(list_state& state, std::size_t upstream) {
  return state.lists.lacks(upstream) ||
         std::ranges::any_of(leaning_on(state, upstream),
                             [&](auto* other) { return other->lists.lacks(upstream); });
}

/// For a client that hears of nothing no session is opened to see what is news to it.
bool router::can_be_told(const list_state& state) const {
  if (!state.client) return true;
  const auto s = sessions_.find_key(state.client);
  return s && s->profile->listening;
}

bool router::is_charged(std::size_t upstream) {
  const auto* u = snapshot_->at(upstream);
  return u && (u->requests_per_minute > 0 || prices_.of(snapshot_, *u, nullptr));
}

/// A session of it answers: this client's (0: a root session).
void router::missed_one_answers(std::size_t upstream, std::uint64_t client) {
  const auto* u = snapshot_->at(upstream);
  if (!u) return;
  for_each_list([&](list_state& state) {
    if ((u->per_client ? state.client : 0) != client || !state.lists.keeps(upstream)) return;
    if (state.lists.cache().take_missed(upstream)) announce(state, upstream);
  });
}

/// It is worth asking: whoever lacks it is told, and nobody else.
void router::announce(list_state& state, std::size_t upstream) {
  state.lists.cache().announced(upstream);
  if (state.lists.lacks(upstream)) tell(state, upstream);
  for (auto* other : leaning_on(state, upstream))
    if (other->lists.lacks(upstream)) tell(*other, upstream);
}

}  // namespace gate
