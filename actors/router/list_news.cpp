#include "actors/router/list_news.hpp"

#include <algorithm>

#include "actors/router/client_streams.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

void list_news::on_list_changed(const list_changed& m) {
  if (!unit_.snapshot->at(m.upstream)) return;  // it is gone: nobody lists it any more
  if (!m.certain) return doubt(m);
  const auto notice = mcp::change_notice(m.kind);
  if (said_already(m)) return;
  if (m.client) own_lists_for(m);
  shelf_.for_each([&](list_state& state) {
    if (state.lists.kind() != m.kind) return;
    if (!concerns(m, state)) return;
    // What one client's session says is nothing to another's own lists.
    const bool anothers = m.client && state.client && state.client != m.client;
    // The cache first, then the clients: who asks because it was told must get the new list.
    if (!anothers && state.lists.sources().keeps(m.upstream))
      state.lists.sources().cache().invalidate(m.upstream);
    if (shelf_.is_waited_for(state)) lists_.refresh(state, m.upstream);
    if (!m.client || state.client == m.client) tell(state, m.upstream);
  });
  if (!m.client) changes_[m.upstream].heard_by_root.insert(notice);
}

/// What one caller's root session says is nothing to other callers; and what a root session says is
/// nothing to those who see the upstream by sessions of their own.
bool list_news::concerns(const list_changed& m, const list_state& state) const {
  if (m.principal && state.principal != m.principal) return false;
  return m.client || !state.client || !unit_.snapshot->at(m.upstream)->per_client;
}

/// What is there may have changed unheard. What a client's session did not hear is about the lists
/// that it sees by that; and if it does not listen, it asks by itself. Where looking is counted, or
/// takes a process that has just ended, clients are told instead.
void list_news::doubt(const list_changed& m) {
  const bool costs =
      lists_.is_charged(m.upstream) || (unit_.snapshot->at(m.upstream)->per_client && !m.client);
  const auto suspect = [&](list_state& state) {
    if (state.lists.kind() != m.kind || !concerns(m, state)) return;
    state.lists.sources().cache().suspect(m.upstream);
    if (!shelf_.can_be_told(state)) return;
    if (!costs) return state.lists.served() ? lists_.refresh(state) : void();
    // Of one that has listed nothing there is nothing to doubt.
    auto& keeper =
        state.lists.sources().keeps(m.upstream) ? state : shelf_.shared(state.as).of(m.kind);
    if (keeper.lists.sources().cache().items(m.upstream) && state.lists.lacks(m.upstream))
      tell(state, m.upstream);
  };
  if (!m.client) return shelf_.for_each(suspect);
  if (auto* own = shelf_.find_own(m.client)) std::ranges::for_each(own->each, suspect);
}

/// Servers say so in bursts. As long as nobody has asked for a list since, there is nothing to do
/// but to wait until they rest.
bool list_news::said_already(const list_changed& m) {
  auto& c = changes_[m.upstream];
  if (c.changed.empty()) c.first = unit_.now();
  c.last = unit_.now();
  auto [it, fresh] =
      c.changed.try_emplace({m.client ? m.client : m.principal, m.kind}, lists_.fetches());
  if (!fresh && it->second == lists_.fetches()) return true;
  it->second = lists_.fetches();
  arm();
  return false;
}

/// This upstream's list alone, and unless it turns out that everybody heard it.
void list_news::own_lists_for(const list_changed& m) {
  auto s = unit_.sessions.find_key(m.client);
  if (!s) return;
  if (unit_.snapshot->at(m.upstream)->per_client && shelf_.has_own(*s)) {
    shelf_.own(*s);  // as it is; or these are its first news
    return;
  }
  auto& c = changes_[m.upstream];
  const auto notice = mcp::change_notice(m.kind);
  c.clients.emplace(m.client, notice);
  if (!shelf_.holds_place(s->key) && !shelf_.make_room(*s, false)) return;
  s->own_lists = true;
  if (shelf_.of(*s, m.kind).lists.sources().own(m.upstream)) c.promoted.emplace(m.client, notice);
}

void list_news::expect(list_state& state) {
  if (!state.lists.served() || state.compare) return;
  state.compare = true;
  if (unit_.now() - state.told < limits::list_news_pause && state.told != time_point{}) return;
  compare_soon();
}

void list_news::compare() {
  const auto t = unit_.now();
  shelf_.for_each([&](list_state& state) {
    if (!state.compare) return;
    // Later: a tick comes back to it.
    if (state.told != time_point{} && t - state.told < limits::list_news_pause) return;
    state.compare = false;
    if (note_views(state)) state.told = t;
  });
}

bool list_news::note_views(list_state& state) {
  const auto changed = state.lists.take_changed_views();
  if (changed.empty()) return false;
  auto& c = of_the_federation();
  const auto notice = mcp::change_notice(state.lists.kind());
  for (const auto view : changed) {
    if (state.client)
      c.clients.emplace(state.client, notice);
    else if (state.principal)
      c.principals.emplace(state.principal, notice);
    else
      c.views.emplace(state.as, view, notice);
  }
  return true;
}

void list_news::tell_views(list_state& state) {
  if (note_views(state)) arm();
}

void list_news::tell(std::uint64_t client, mcp::list_kind k) {
  of_the_federation().clients.emplace(client, mcp::change_notice(k));
  arm();
}

void list_news::compare_soon() {
  of_the_federation();
  arm();
}

void list_news::tell(list_state& state, std::size_t upstream) {
  state.lists.forget_served(upstream);
  auto& c = changes_[upstream];
  c.last = unit_.now();
  if (c.changed.empty() && c.shared.empty() && c.clients.empty() && c.principals.empty())
    c.first = c.last;
  const auto notice = mcp::change_notice(state.lists.kind());
  if (state.client)
    c.clients.emplace(state.client, notice);
  else if (state.principal)
    c.principals.emplace(state.principal, notice);
  else
    c.shared.emplace(state.as, notice);
  arm();
}

// --- when another configuration comes before the clients were told -------------------------------

list_news::change& list_news::of_the_federation() {
  const auto [it, fresh] = changes_.try_emplace(the_federation);
  it->second.last = unit_.now();
  if (fresh) it->second.first = it->second.last;  // or many reloads would put it off for ever
  return it->second;
}

void list_news::pass_on(const config::policy_view& was, const config::policy_view& is) {
  const auto at = changes_.find(the_federation);
  if (at == changes_.end()) return;
  auto& all = at->second.views;
  for (auto [as, view, notice] : std::vector(all.begin(), all.end()))
    if (view == was.id()) all.emplace(as, is.id(), notice);
}

/// What is to be told to those who saw by this view, as this client did.
std::set<std::string_view> list_news::owed_by(const sessions::client_session& s,
                                              const config::policy_view& was) const {
  std::set<std::string_view> out;
  for (const auto& [upstream, c] : changes_) {
    for (const auto& [as, view, notice] : c.views)
      if (as == s.lists_as && view == was.id()) out.insert(notice);
    // Of others it hears as before.
    if (upstream == the_federation || !was.reaches(upstream) || s.access->view->reaches(upstream))
      continue;
    for (const auto& [as, notice] : c.shared)
      if (as == s.lists_as) out.insert(notice);
    for (const auto& [principal, notice] : c.principals)
      if (principal == s.principal) out.insert(notice);
    for (const auto& [client, notice] : c.clients)
      if (client == s.key) out.insert(notice);
  }
  return out;
}

void list_news::keep(sessions::client_session& s, const config::policy_view& was) {
  compare();  // of what has come a moment ago
  arm();
  const auto& is = s.access->view;
  auto news = owed_by(s, was);
  // Lists that are kept elsewhere, as those of one that gets a place when it asks next, can not be
  // compared.
  const bool elsewhere =
      !shelf_.holds_place(s.key) &&
      (shelf_.opens_own(s) || are_kept_elsewhere(*unit_.snapshot, was, *unit_.snapshot, *is));
  auto* const seen = shelf_.seen_by(s);
  if (seen) seen->used = unit_.now();
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n) {
    auto* const state = seen ? &seen->each[n] : nullptr;
    if (state && state->principal) state->caller = s.access->caller;
    if (!s.listed.test(n)) continue;  // it has none that could be another one now
    if (elsewhere || !state || state->lists.pass_on(was, is))
      news.insert(mcp::change_notice(static_cast<mcp::list_kind>(n)));
  }
  shelf_.forget_former_views(s);
  if (news.empty()) return;
  auto& c = of_the_federation();
  for (const auto& notice : news) c.clients.emplace(s.key, notice);
  arm();
}

void list_news::keep_of(std::size_t departed) {
  auto node = changes_.extract(departed);
  if (!node) return;
  auto& gone = node.mapped();
  share_what_all_heard(departed, gone);
  if (gone.shared.empty() && gone.clients.empty() && gone.principals.empty()) return;
  auto& news = of_the_federation();
  news.clients.merge(gone.clients);
  unit_.sessions.for_each([&](const sessions::session_ptr& s) {
    if (!s->access->view->reaches(departed)) return;
    for (const auto& [as, notice] : gone.shared)
      if (as == s->lists_as) news.clients.emplace(s->key, notice);
    for (const auto& [principal, notice] : gone.principals)
      if (principal == s->principal) news.clients.emplace(s->key, notice);
  });
  arm();
}

void list_news::arm() {
  auto at = time_point::max();
  for (const auto& [upstream, c] : changes_)
    at =
        std::min({at, c.last + limits::list_changed_debounce, c.first + limits::list_changed_most});
  // A timer that comes too early looks again.
  if (at >= tell_at_) return;
  tell_at_ = at;
  unit_.time.wake(timer::news, at - unit_.now());
}

/// What this client is to be told: not of upstreams that have nothing for it, nor what root
/// sessions heard of those that it sees by its own.
void list_news::gather(sessions::client_session& s, std::size_t upstream, const change& c) const {
  if (upstream != the_federation && !s.access->view->reaches(upstream)) return;
  const auto* u = unit_.snapshot->at(upstream);
  const bool by_its_own = u && u->per_client && shelf_.holds_place(s.lists_of());
  for (const auto& [as, notice] : c.shared)
    if (as == s.lists_as && !by_its_own) s.notices.add_list(notice);
  for (const auto& [principal, notice] : c.principals)
    if (principal == s.principal && !by_its_own) s.notices.add_list(notice);
  for (const auto& [client, notice] : c.clients)
    if (client == s.key || client == s.lists_of()) s.notices.add_list(notice);
  for (const auto& [as, view, notice] : c.views)
    if (as == s.lists_as && view == s.access->view->id()) s.notices.add_list(notice);
}

bool list_news::change::rests(time_point t) const {
  return t >= last + limits::list_changed_debounce || t >= first + limits::list_changed_most;
}

void list_news::on_timer() {
  tell_at_ = time_point::max();
  const auto t = unit_.now();
  if (const auto at = changes_.find(the_federation); at != changes_.end() && at->second.rests(t)) {
    const auto last = at->second.last;
    compare();
    at->second.last = last;  // what it found is told with it
  }
  std::vector<std::pair<std::size_t, change>> due;
  std::map<std::size_t, notices> to_share;
  for (auto it = changes_.begin(); it != changes_.end();) {
    auto& c = it->second;
    if (!c.rests(t)) {
      ++it;
      continue;
    }
    if (auto later = share_what_all_heard(it->first, c); !later.empty())
      to_share.emplace(it->first, std::move(later));
    due.emplace_back(it->first, std::move(c));
    it = changes_.erase(it);
  }
  for (auto& [upstream, who] : to_share) {
    auto& again = changes_[upstream];
    again.first = again.last = t;
    again.to_share = std::move(who);
  }
  tell_clients(due);
  if (!changes_.empty()) arm();
}

void list_news::tell_clients(const std::vector<std::pair<std::size_t, change>>& due) {
  const auto tell = [&](sessions::client_session& s) {
    for (const auto& [upstream, c] : due) gather(s, upstream, c);
    streams_.send_notices(s);
  };
  const bool everybody = std::ranges::any_of(due, [](const auto& x) {
    return !x.second.shared.empty() || !x.second.principals.empty() || !x.second.views.empty();
  });
  if (everybody) return streams_.for_each_listener(tell);
  // What is told a caller without a session is told its streams, each of which may be told by
  // itself.
  std::set<std::uint64_t> clients;
  for (const auto& [upstream, c] : due) {
    for (const auto& [client, notice] : c.clients) {
      const auto s = unit_.sessions.find_key(client);
      if (s && s->visits)
        clients.insert(s->visits->listeners.begin(), s->visits->listeners.end());
      else
        clients.insert(client);
    }
  }
  for (const auto client : clients)
    if (const auto s = unit_.sessions.find_key(client); s && s->profile->listening) tell(*s);
}

/// Returns those for whom it has to be done later.
list_news::notices list_news::share_what_all_heard(std::size_t upstream, change& c) {
  notices later;
  for (const auto& [client, notice] : c.promoted)
    if (c.heard_by_root.contains(notice) && !share_again(client, upstream, notice))
      later.emplace(client, notice);
  for (const auto& [client, notice] : c.to_share)
    if (share_again(client, upstream, notice))
      c.clients.emplace(client, notice);  // it may have been served its own meanwhile
    else
      later.emplace(client, notice);
  return later;
}

/// It was no change for this client alone: it needs no list of its own. False: a call waits for it.
bool list_news::share_again(std::uint64_t client, std::size_t upstream, std::string_view notice) {
  auto* lists = shelf_.find_own(client);
  auto s = unit_.sessions.find_key(client);
  if (!lists || !s) return true;
  if (shelf_.are_waited_for(*lists)) return false;
  bool more = false;
  for (auto& state : lists->each) {
    if (mcp::change_notice(state.lists.kind()) == notice) state.lists.sources().share(upstream);
    more |= state.lists.sources().owns_any();
  }
  if (more || sees_per_client(*unit_.snapshot, *s->access->view)) return true;
  shelf_.erase_own(client);
  s->own_lists = false;
  return true;
}

}  // namespace gate::routing
