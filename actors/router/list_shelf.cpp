#include "actors/router/list_shelf.hpp"

#include <algorithm>

#include "actors/federation/keepers.hpp"
#include "actors/router/list_news.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

namespace {

std::size_t bytes_of(const list_states& states) {
  std::size_t bytes = 0;
  for (const auto& state : states.each) bytes += state.lists.sources().cache().bytes();
  return bytes;
}

}  // namespace

bool list_shelf::are_waited_for(const list_states& states) const {
  return std::ranges::any_of(states.each,
                             [this](const auto& state) { return is_waited_for(state); });
}

/// Lists of one kind of clients: everybody's, a caller's, or one client's own.
list_states list_shelf::make(mcp::capability_profile as, std::uint64_t principal,
                             std::uint64_t client) {
  list_states out;
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n) {
    federation::catalogue* everybodys = nullptr;
    if (principal || client) everybodys = &shared(as).each[n].lists;
    federation::catalogue lists(static_cast<mcp::list_kind>(n), unit_.snapshot, everybodys,
                                !everybodys, commons_, client != 0);
    out.each.push_back({std::move(lists), ++last_id_, as, client, principal, nullptr});
  }
  return out;
}

list_states& list_shelf::shared(mcp::capability_profile as) {
  auto& all = lists_[{as, 0}];
  if (all.each.empty()) all = make(as, 0, 0);
  return all;
}

bool sees_personal(const config::snapshot& of, const config::policy_view& view) {
  return of.personal && std::ranges::any_of(of.upstreams, [&](const auto& u) {
           return u.per_caller && view.reaches(u.index);
         });
}

bool sees_per_client(const config::snapshot& of, const config::policy_view& view) {
  return of.per_client && std::ranges::any_of(of.upstreams, [&](const auto& u) {
           return u.per_client && view.reaches(u.index);
         });
}

bool are_kept_elsewhere(const config::snapshot& before, const config::policy_view& was,
                        const config::snapshot& now, const config::policy_view& is) {
  return sees_personal(before, was) != sees_personal(now, is) ||
         sees_per_client(before, was) != sees_per_client(now, is);
}

bool list_shelf::opens_own(const sessions::client_session& s) const {
  if (s.own_lists || places_.has(s.key)) return true;
  return sees_per_client(*unit_.snapshot, *s.access->view) && places_.open_to(s.key, s.principal);
}

bool list_shelf::has_own(const sessions::client_session& s) {
  if (s.own_lists || places_.has(s.key)) return true;
  return sees_per_client(*unit_.snapshot, *s.access->view) && make_room(s, true);
}

list_states& list_shelf::own(const sessions::client_session& s) {
  auto& all = own_lists_[s.key];
  if (all.each.empty()) {
    all = make(s.lists_as, s.principal, s.key);
    all.since = unit_.now();
    places_.enter(s.key, s.principal);
  }
  all.used = unit_.now();
  return all;
}

void list_shelf::erase_own(std::uint64_t client) {
  own_lists_.erase(client);
  places_.leave(client);
}

list_states& list_shelf::personal(const sessions::client_session& s) {
  const list_key key{s.lists_as, s.principal};
  auto it = lists_.find(key);
  if (it == lists_.end()) {
    make_room_for_personal();
    it = lists_.emplace(key, make(s.lists_as, s.principal, 0)).first;
  }
  it->second.used = unit_.now();
  return it->second;
}

/// Nobody's lists are dropped while a call waits for them.
void list_shelf::make_room_for_personal() {
  if (walks_) return;
  auto oldest = lists_.end();
  std::size_t count = 0;
  for (auto it = lists_.begin(); it != lists_.end(); ++it) {
    if (!it->first.second) continue;
    ++count;
    if (!are_waited_for(it->second) &&
        (oldest == lists_.end() || it->second.used < oldest->second.used))
      oldest = it;
  }
  if (count >= limits::personal_lists && oldest != lists_.end()) lists_.erase(oldest);
}

list_state& list_shelf::of(const sessions::client_session& s, mcp::list_kind k) {
  auto& all = has_own(s)                                        ? own(s)
              : sees_personal(*unit_.snapshot, *s.access->view) ? personal(s)
                                                                : shared(s.lists_as);
  auto& state = all.each[static_cast<std::size_t>(k)];
  if (state.principal) state.caller = s.access->caller;
  return state;
}

list_states* list_shelf::seen_by(const sessions::client_session& s) {
  if (places_.has(s.key)) return &own_lists_.at(s.key);
  const bool personal = sees_personal(*unit_.snapshot, *s.access->view);
  const auto it = lists_.find({s.lists_as, personal ? s.principal : 0});
  return it == lists_.end() ? nullptr : &it->second;
}

void list_shelf::await_news(const sessions::client_session& s) {
  if (places_.has(s.key) || !opens_own(s))
    of(s, mcp::list_kind::tools);
  else
    shared(s.lists_as);
}

bool list_shelf::make_room(const sessions::client_session& s, bool by_share) {
  if (!places_.fits(s.key)) return false;
  if (places_.room()) return true;
  if (walks_ || (by_share && !places_.open_to(s.key, s.principal))) return false;
  std::vector<federation::keeper> all;
  for (const auto& [client, states] : own_lists_)
    if (const auto of = unit_.sessions.find_key(client))
      all.push_back({client, of->principal, states.since, are_waited_for(states)});
  const auto so_many = by_share ? places_.count(s.principal) + 1 : 0;
  const auto first = federation::first_to_go(all, so_many);
  if (!first) return false;
  give_up_own(*first);
  return true;
}

/// From now on this client sees the lists that everybody sees. These can not be compared with what
/// it saw.
void list_shelf::give_up_own(std::uint64_t client) {
  for (const auto& state : own_lists_.at(client).each)
    if (state.lists.sources().owns_any() || state.lists.served())
      news_.tell(client, state.lists.kind());
  erase_own(client);
  if (const auto s = unit_.sessions.find_key(client)) s->own_lists = false;
}

void list_shelf::weigh(std::uint64_t client) {
  const auto it = own_lists_.find(client);
  if (it == own_lists_.end()) return;
  places_.weigh(client, bytes_of(it->second));
  lighten();
}

/// Lists that a call waits for have their turn later.
void list_shelf::lighten() {
  if (!places_.too_much()) return;
  // What has been forgotten since it came takes nothing any more.
  for (const auto& [client, states] : own_lists_) places_.weigh(client, bytes_of(states));
  const auto can_go = [this](std::uint64_t other) { return !are_waited_for(own_lists_.at(other)); };
  while (const auto largest = places_.take_largest(can_go)) give_up_own(*largest);
}

void list_shelf::forget_former_views(list_state& state) {
  if (state.client) {
    if (const auto s = unit_.sessions.find_key(state.client))
      state.lists.keep_views({s->access->view});
  } else if (state.principal) {
    state.lists.keep_views(unit_.sessions.views_of(state.principal, state.as));
  }
}

void list_shelf::forget_former_views(const sessions::client_session& s) {
  if (const auto own = own_lists_.find(s.key); own != own_lists_.end())
    for (auto& state : own->second.each) forget_former_views(state);
  if (!s.principal) return;
  if (const auto callers = lists_.find({s.lists_as, s.principal}); callers != lists_.end())
    for (auto& state : callers->second.each) forget_former_views(state);
}

bool list_shelf::can_be_told(const list_state& state) const {
  if (!state.client) return true;
  const auto s = unit_.sessions.find_key(state.client);
  return s && s->profile->listening;
}

void list_shelf::for_each(const std::function<void(list_state&)>& f) {
  for (auto& [key, states] : lists_)
    for (auto& state : states.each) f(state);
  for (auto& [client, states] : own_lists_)
    for (auto& state : states.each) f(state);
}

list_states* list_shelf::find_own(std::uint64_t client) {
  const auto it = own_lists_.find(client);
  return it == own_lists_.end() ? nullptr : &it->second;
}

list_states* list_shelf::find(const listed& m) {
  if (m.client) return find_own(m.client);
  const auto it = lists_.find({m.as, m.principal});
  return it == lists_.end() ? nullptr : &it->second;
}

std::vector<list_state*> list_shelf::leaning_on(const list_state& shared, std::size_t upstream) {
  std::vector<list_state*> out;
  if (shared.client || shared.principal) return out;
  const auto kind = static_cast<std::size_t>(shared.lists.kind());
  for (auto& [key, others] : lists_)
    if (key.first == shared.as && key.second) out.push_back(&others.each[kind]);
  for (auto& [client, others] : own_lists_)
    if (others.each[kind].as == shared.as && !others.each[kind].lists.sources().keeps(upstream))
      out.push_back(&others.each[kind]);
  return out;
}

void list_shelf::forget(std::uint64_t client) {
  erase_own(client);
  places_.forget(client);
}

void list_shelf::drop(mcp::capability_profile as) {
  std::erase_if(lists_, [&](const auto& x) { return x.first.first == as; });
}

void list_shelf::sweep(time_point t) {
  const auto unused = [this, t](const list_states& states) {
    return t - states.used >= limits::bridged_idle && !are_waited_for(states);
  };
  std::erase_if(lists_, [&](const auto& x) { return x.first.second && unused(x.second); });
  std::vector<std::uint64_t> over;
  for (const auto& [client, states] : own_lists_)
    if (unused(states) && !can_be_told(states.each.front()) &&
        std::ranges::none_of(states.each,
                             [](const auto& s) { return s.lists.sources().owns_any(); }))
      over.push_back(client);
  for (const auto client : over) {
    if (const auto s = unit_.sessions.find_key(client)) s->own_lists = false;
    erase_own(client);
  }
}

void list_shelf::clear() {
  lists_.clear();
  own_lists_.clear();
}

}  // namespace gate::routing
