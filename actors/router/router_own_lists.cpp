// ROUTER: whose lists a client sees. Everybody's of its kind; those of its principal, where an
// upstream's depend on the caller; or its own, where a server has changed something for it alone or
// has `listsPerClient`. Places for these are bounded (federation/list_places.hpp).
#include <algorithm>

#include "actors/federation/keepers.hpp"
#include "actors/router/router.hpp"
#include "protocol/limits.hpp"

namespace gate {

/// Lists of one kind of clients: everybody's, a caller's, or one client's own.
router::list_states router::make_lists(mcp::capability_profile as, std::uint64_t principal,
                                       std::uint64_t client) {
  list_states out;
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n) {
    federation::catalogue* shared = nullptr;
    if (principal || client) shared = &shared_lists(as).each[n].lists;
    federation::catalogue lists(static_cast<mcp::list_kind>(n), snapshot_, shared, !shared,
                                commons_, client != 0);
    out.each.push_back({std::move(lists), {}, as, client, principal, nullptr});
  }
  return out;
}

router::list_states& router::shared_lists(mcp::capability_profile as) {
  auto& all = lists_[{as, 0}];
  if (all.each.empty()) all = make_lists(as, 0, 0);
  return all;
}

/// Does it see an upstream whose lists depend on the caller?
bool router::sees_personal(const config::snapshot& of, const config::policy_view& view) {
  return of.personal && std::ranges::any_of(of.upstreams, [&](const auto& u) {
           return u.per_caller && view.reaches(u.index);
         });
}

/// Does it see an upstream whose lists come over the client's own session?
bool router::sees_per_client(const config::snapshot& of, const config::policy_view& view) {
  return of.per_client && std::ranges::any_of(of.upstreams, [&](const auto& u) {
           return u.per_client && view.reaches(u.index);
         });
}

/// Will it, as soon as it asks for a list? Beyond the bound clients see lists of root sessions, as
/// everywhere else.
bool router::sees_own_lists(const sessions::client_session& s) const {
  if (s.own_lists || places_.has(s.key)) return true;
  return sees_per_client(*snapshot_, *s.access->view) && places_.open_to(s.key, s.principal);
}

/// It asks for a list: it gets a place if it needs one.
bool router::has_own_lists(const sessions::client_session& s) {
  if (s.own_lists || places_.has(s.key)) return true;
  return sees_per_client(*snapshot_, *s.access->view) && make_room_for_own_lists(s, true);
}

router::list_states& router::own_lists(const sessions::client_session& s) {
  auto& all = own_lists_[s.key];
  if (all.each.empty()) {
    all = make_lists(s.lists_as, s.principal, s.key);
    all.since = now();
    places_.enter(s.key, s.principal);
  }
  all.used = now();
  return all;
}

void router::erase_own_lists(std::uint64_t client) {
  own_lists_.erase(client);
  places_.leave(client);
}

router::list_states& router::personal_lists(const sessions::client_session& s) {
  const list_key key{s.lists_as, s.principal};
  auto it = lists_.find(key);
  if (it == lists_.end()) {
    make_room_for_lists();
    it = lists_.emplace(key, make_lists(s.lists_as, s.principal, 0)).first;
  }
  it->second.used = now();
  return it->second;
}

/// Nobody's lists are dropped while a call waits for them.
void router::make_room_for_lists() {
  if (keep_lists_) return;
  auto oldest = lists_.end();
  std::size_t count = 0;
  for (auto it = lists_.begin(); it != lists_.end(); ++it) {
    if (!it->first.second) continue;
    ++count;
    const bool waited_for =
        std::ranges::any_of(it->second.each, [](const auto& x) { return !x.waiting.empty(); });
    if (!waited_for && (oldest == lists_.end() || it->second.used < oldest->second.used))
      oldest = it;
  }
  if (count >= limits::personal_lists && oldest != lists_.end()) lists_.erase(oldest);
}

/// The list as this client sees it.
router::list_state& router::list_of(const sessions::client_session& s, mcp::list_kind k) {
  auto& all = has_own_lists(s)                             ? own_lists(s)
              : sees_personal(*snapshot_, *s.access->view) ? personal_lists(s)
                                                           : shared_lists(s.lists_as);
  auto& state = all.each[static_cast<std::size_t>(k)];
  if (state.principal) state.caller = s.access->caller;
  return state;
}

/// The lists as this client has seen them, if they are there: looking at them makes none, and takes
/// nobody's place.
router::list_states* router::seen_lists(const sessions::client_session& s) {
  if (places_.has(s.key)) return &own_lists_.at(s.key);
  const bool personal = sees_personal(*snapshot_, *s.access->view);
  const auto it = lists_.find({s.lists_as, personal ? s.principal : 0});
  return it == lists_.end() ? nullptr : &it->second;
}

/// A client listens: it hears of changes before it has listed anything. A place for lists of its
/// own it gets with the first of them, or with the first news for it alone.
void router::await_news(const sessions::client_session& s) {
  if (places_.has(s.key) || !sees_own_lists(s))
    list_of(s, mcp::list_kind::tools);
  else
    shared_lists(s.lists_as);
}

/// One more client can have lists of its own. False: it has its share (`by_share`), or calls wait
/// for all that there are, or somebody walks through them.
bool router::make_room_for_own_lists(const sessions::client_session& s, bool by_share) {
  if (!places_.fits(s.key)) return false;
  if (places_.room()) return true;
  if (keep_lists_ || (by_share && !places_.open_to(s.key, s.principal))) return false;
  std::vector<federation::keeper> all;
  for (const auto& [client, states] : own_lists_)
    if (const auto of = sessions_.find_key(client))
      all.push_back({client, of->principal, states.since,
                     std::ranges::any_of(states.each, [](auto& x) { return !x.waiting.empty(); })});
  const auto so_many = by_share ? places_.count(s.principal) + 1 : 0;
  const auto first = federation::first_to_go(all, so_many);
  if (!first) return false;
  give_up_own_lists(*first);
  return true;
}

/// From now on this client sees the lists that everybody sees. These can not be compared with what
/// it saw.
void router::give_up_own_lists(std::uint64_t client) {
  for (const auto& state : own_lists_.at(client).each)
    if (state.lists.owns_any() || state.lists.served())
      news_of_the_federation().own_notices.emplace(client, mcp::change_notice(state.lists.kind()));
  erase_own_lists(client);
  if (const auto s = sessions_.find_key(client)) s->own_lists = false;
  arm_notify();
}

/// Something came for its lists: all of them together have a bound.
void router::weigh_own_lists(std::uint64_t client) {
  const auto it = own_lists_.find(client);
  if (it == own_lists_.end()) return;
  places_.weigh(client, bytes_of(it->second));
  lighten_own_lists();
}

std::size_t router::bytes_of(const list_states& states) {
  std::size_t bytes = 0;
  for (const auto& state : states.each) bytes += state.lists.cache().bytes();
  return bytes;
}

/// Lists that a call waits for have their turn later.
void router::lighten_own_lists() {
  if (!places_.too_much()) return;
  // What has been forgotten since it came takes nothing any more.
  for (const auto& [client, states] : own_lists_) places_.weigh(client, bytes_of(states));
  const auto can_go = [this](std::uint64_t other) {
    return std::ranges::all_of(own_lists_.at(other).each,
                               [](auto& x) { return x.waiting.empty(); });
  };
  while (const auto largest = places_.take_largest(can_go)) give_up_own_lists(*largest);
}

/// Nothing is asked in a client's or a caller's name for views that none of its sessions sees by
/// any more: they may be of a token that could do more.
void router::forget_former_views(list_state& state) {
  if (state.client) {
    if (const auto s = sessions_.find_key(state.client)) state.lists.keep_views({s->access->view});
  } else if (state.principal) {
    state.lists.keep_views(sessions_.views_of(state.principal, state.as));
  }
}

void router::forget_former_views(const sessions::client_session& s) {
  if (const auto own = own_lists_.find(s.key); own != own_lists_.end())
    for (auto& state : own->second.each) forget_former_views(state);
  if (!s.principal) return;
  if (const auto callers = lists_.find({s.lists_as, s.principal}); callers != lists_.end())
    for (auto& state : callers->second.each) forget_former_views(state);
}

}  // namespace gate
