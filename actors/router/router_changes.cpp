// ROUTER: lists that changed. First the caches, then the clients, once for all that an upstream
// says within a moment. What only a client's own session heard is about that client: some servers
// change their tools and resources session by session. From then on it sees lists of its own,
// fetched over its own sessions.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/limits.hpp"

namespace gate {

void router::on_list_changed(const list_changed& m) {
  if (!snapshot_->at(m.upstream)) return;  // it is gone: nobody lists it any more
  if (!m.certain) return doubt(m);
  const auto notice = mcp::change_notice(m.kind);
  if (said_already(m)) return;
  if (m.client) own_lists_for(m);
  for_each_list([&](list_state& state) {
    if (state.lists.kind() != m.kind) return;
    if (!concerns(m, state)) return;
    // What one client's session says is nothing to another's own lists.
    const bool anothers = m.client && state.client && state.client != m.client;
    // The cache first, then the clients: who asks because it was told must get the new list.
    if (!anothers && state.lists.keeps(m.upstream)) state.lists.cache().invalidate(m.upstream);
    if (!state.waiting.empty()) refresh(state, m.upstream);
    if (!m.client || state.client == m.client) tell(state, m.upstream);
  });
  if (!m.client) changes_[m.upstream].heard_by_root.insert(notice);
}

/// What one caller's root session says is nothing to other callers; and what a root session says is
/// nothing to those who see the upstream by sessions of their own.
bool router::concerns(const list_changed& m, const list_state& state) const {
  if (m.principal && state.principal != m.principal) return false;
  return m.client || !state.client || !snapshot_->at(m.upstream)->per_client;
}

/// What is there may have changed unheard. What a client's session did not hear is about the lists
/// that it sees by that; and if it does not listen, it asks by itself. Where looking is counted, or
/// takes a process that has just ended, clients are told instead.
void router::doubt(const list_changed& m) {
  const bool costs = is_charged(m.upstream) || (snapshot_->at(m.upstream)->per_client && !m.client);
  const auto suspect = [&](list_state& state) {
    if (state.lists.kind() != m.kind || !concerns(m, state)) return;
    state.lists.cache().suspect(m.upstream);
    if (!can_be_told(state)) return;
    if (!costs) return state.lists.served() ? refresh(state) : void();
    // Of one that has listed nothing there is nothing to doubt.
    auto& keeper = state.lists.keeps(m.upstream)
                       ? state
                       : shared_lists(state.as).each[static_cast<std::size_t>(m.kind)];
    if (keeper.lists.cache().items(m.upstream) && state.lists.lacks(m.upstream))
      tell(state, m.upstream);
  };
  if (!m.client) return for_each_list(suspect);
  if (const auto own = own_lists_.find(m.client); own != own_lists_.end())
    std::ranges::for_each(own->second.each, suspect);
}

/// Servers say so in bursts. As long as nobody has asked for a list since, there is nothing to do
/// but to wait until they rest.
bool router::said_already(const list_changed& m) {
  auto& c = changes_[m.upstream];
  if (c.heard.empty()) c.first = now();
  c.last = now();
  auto [it, fresh] = c.heard.try_emplace({m.client ? m.client : m.principal, m.kind}, fetches_);
  if (!fresh && it->second == fetches_) return true;
  it->second = fetches_;
  arm_notify();
  return false;
}

/// This upstream's list alone, and unless it turns out that everybody heard it.
void router::own_lists_for(const list_changed& m) {
  auto s = sessions_.find_key(m.client);
  if (!s) return;
  if (snapshot_->at(m.upstream)->per_client && has_own_lists(*s)) {
    own_lists(*s);  // as it is; or these are its first news
    return;
  }
  auto& c = changes_[m.upstream];
  const auto notice = mcp::change_notice(m.kind);
  c.own_notices.emplace(m.client, notice);
  if (!places_.has(s->key) && !make_room_for_own_lists(*s, false)) return;
  s->own_lists = true;
  if (list_of(*s, m.kind).lists.own(m.upstream)) c.promoted.emplace(m.client, notice);
}

/// What is there has become another: whether that is news is seen when all has come that comes in a
/// moment.
void router::expect_news(list_state& state) {
  if (!state.lists.served() || state.compare) return;
  state.compare = true;
  if (now() - state.told < limits::list_news_pause && state.told != time_point{}) return;
  news_of_the_federation();
  arm_notify();
}

void router::compare_lists() {
  const auto t = now();
  for_each_list([&](list_state& state) {
    if (!state.compare) return;
    // Later: a tick comes back to it.
    if (state.told != time_point{} && t - state.told < limits::list_news_pause) return;
    state.compare = false;
    if (tell_views(state)) state.told = t;
  });
}

/// Tells the clients, soon, that this list has changed.
void router::tell(list_state& state, std::size_t upstream) {
  state.lists.forget_served(upstream);
  auto& c = changes_[upstream];
  c.last = now();
  if (c.heard.empty() && c.notices.empty() && c.own_notices.empty() && c.personal_notices.empty())
    c.first = c.last;
  const auto notice = mcp::change_notice(state.lists.kind());
  if (state.client)
    c.own_notices.emplace(state.client, notice);
  else if (state.principal)
    c.personal_notices.emplace(state.principal, notice);
  else
    c.notices.emplace(state.as, notice);
  arm_notify();
}

// --- when another configuration comes before the clients were told -------------------------------

router::change& router::news_of_the_federation() {
  const auto [it, fresh] = changes_.try_emplace(the_federation);
  it->second.last = now();
  if (fresh) it->second.first = it->second.last;  // or many reloads would put it off for ever
  return it->second;
}

/// What those who see by the first view are to be told, those who see by the second are.
void router::pass_news_on(const config::policy_view& was, const config::policy_view& is) {
  const auto at = changes_.find(the_federation);
  if (at == changes_.end()) return;
  auto& all = at->second.view_notices;
  for (auto [as, view, notice] : std::vector(all.begin(), all.end()))
    if (view == was.id()) all.emplace(as, is.id(), notice);
}

/// A client sees by another view from now on: what was to be told to those of the former is still
/// news to it, and so is every list that is another one by this view.
void router::keep_news(sessions::client_session& s, const config::policy_view& was) {
  compare_lists();  // of what has come a moment ago
  const auto& is = s.access->view;
  std::set<std::string_view> news;
  for (const auto& [upstream, c] : changes_) {
    for (const auto& [as, view, notice] : c.view_notices)
      if (as == s.lists_as && view == was.id()) news.insert(notice);
    // Of others it hears as before.
    if (upstream == the_federation || !was.reaches(upstream) || is->reaches(upstream)) continue;
    for (const auto& [as, notice] : c.notices)
      if (as == s.lists_as) news.insert(notice);
    for (const auto& [principal, notice] : c.personal_notices)
      if (principal == s.principal) news.insert(notice);
    for (const auto& [client, notice] : c.own_notices)
      if (client == s.key) news.insert(notice);
  }
  // Lists that are kept elsewhere, as those of one that gets a place when it asks next, can not be
  // compared.
  const bool elsewhere =
      !places_.has(s.key) &&
      (sees_own_lists(s) || sees_personal(*snapshot_, was) != sees_personal(*snapshot_, *is) ||
       sees_per_client(*snapshot_, was) != sees_per_client(*snapshot_, *is));
  auto* const seen = seen_lists(s);
  if (seen) seen->used = now();
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n) {
    auto* const state = seen ? &seen->each[n] : nullptr;
    if (state && state->principal) state->caller = s.access->caller;
    if (!s.listed.test(n)) continue;  // it has none that could be another one now
    if (elsewhere || !state || state->lists.pass_on(was, is))
      news.insert(mcp::change_notice(static_cast<mcp::list_kind>(n)));
  }
  forget_former_views(s);
  if (news.empty()) return;
  auto& c = news_of_the_federation();
  for (const auto& notice : news) c.own_notices.emplace(s.key, notice);
  arm_notify();
}

/// An upstream is gone whose lists had changed: whoever saw them has yet to hear of it. (Lists that
/// were forgotten for that change can not be compared with those without the upstream.)
void router::keep_news_of(std::size_t departed) {
  auto node = changes_.extract(departed);
  if (!node) return;
  auto& gone = node.mapped();
  share_what_all_heard(departed, gone);
  if (gone.notices.empty() && gone.own_notices.empty() && gone.personal_notices.empty()) return;
  auto& news = news_of_the_federation();
  news.own_notices.merge(gone.own_notices);
  sessions_.for_each([&](const sessions::session_ptr& s) {
    if (!s->access->view->reaches(departed)) return;
    for (const auto& [as, notice] : gone.notices)
      if (as == s->lists_as) news.own_notices.emplace(s->key, notice);
    for (const auto& [principal, notice] : gone.personal_notices)
      if (principal == s->principal) news.own_notices.emplace(s->key, notice);
  });
  arm_notify();
}

void router::arm_notify() {
  auto at = time_point::max();
  for (const auto& [upstream, c] : changes_)
    at =
        std::min({at, c.last + limits::list_changed_debounce, c.first + limits::list_changed_most});
  // A timer that comes too early looks again.
  if (at >= tell_at_) return;
  tell_at_ = at;
  delayed_send(this, at - now(), tell_list_changed{});
}

/// What this client is to be told: not of upstreams that have nothing for it, nor what root
/// sessions heard of those that it sees by its own.
void router::gather_news(sessions::client_session& s, std::size_t upstream, const change& c) const {
  if (upstream != the_federation && !s.access->view->reaches(upstream)) return;
  const auto* u = snapshot_->at(upstream);
  const bool by_its_own = u && u->per_client && places_.has(s.key);
  for (const auto& [as, notice] : c.notices)
    if (as == s.lists_as && !by_its_own) s.notices.add_list(notice);
  for (const auto& [principal, notice] : c.personal_notices)
    if (principal == s.principal && !by_its_own) s.notices.add_list(notice);
  for (const auto& [client, notice] : c.own_notices)
    if (client == s.key) s.notices.add_list(notice);
  for (const auto& [as, view, notice] : c.view_notices)
    if (as == s.lists_as && view == s.access->view->id()) s.notices.add_list(notice);
}

void router::notify_clients() {
  tell_at_ = time_point::max();
  const auto t = now();
  const auto rests = [t](const change& c) {
    return t >= c.last + limits::list_changed_debounce || t >= c.first + limits::list_changed_most;
  };
  if (const auto at = changes_.find(the_federation); at != changes_.end() && rests(at->second)) {
    const auto last = at->second.last;
    compare_lists();
    at->second.last = last;  // what it found is told with it
  }
  std::vector<std::pair<std::size_t, change>> due;
  std::map<std::size_t, std::set<std::pair<std::uint64_t, std::string_view>>> to_share;
  bool everybody = false;
  for (auto it = changes_.begin(); it != changes_.end();) {
    auto& c = it->second;
    if (!rests(c)) {
      ++it;
      continue;
    }
    if (auto later = share_what_all_heard(it->first, c); !later.empty())
      to_share.emplace(it->first, std::move(later));
    everybody |= !c.notices.empty() || !c.personal_notices.empty() || !c.view_notices.empty();
    due.emplace_back(it->first, std::move(c));
    it = changes_.erase(it);
  }
  for (auto& [upstream, who] : to_share) {
    auto& again = changes_[upstream];
    again.first = again.last = t;
    again.to_share = std::move(who);
  }
  const auto tell = [&](sessions::client_session& s) {
    for (const auto& [upstream, c] : due) gather_news(s, upstream, c);
    send_notices(s);
  };
  if (everybody) {
    sessions_.for_each_stream(tell);
    // Those who are about to come back hear of it then.
    for (const auto& absent : away_)
      if (auto s = sessions_.find_key(absent.client); s && !s->stream && s->profile->listening)
        tell(*s);
  } else {
    std::set<std::uint64_t> clients;
    for (const auto& [upstream, c] : due)
      for (const auto& [client, notice] : c.own_notices) clients.insert(client);
    for (auto client : clients)
      if (auto s = sessions_.find_key(client); s && s->profile->listening) tell(*s);
  }
  if (!changes_.empty()) arm_notify();
}

/// Returns those for whom it has to be done later.
std::set<std::pair<std::uint64_t, std::string_view>> router::share_what_all_heard(
    std::size_t upstream, change& c) {
  std::set<std::pair<std::uint64_t, std::string_view>> later;
  for (const auto& [client, notice] : c.promoted)
    if (c.heard_by_root.contains(notice) && !share_again(client, upstream, notice))
      later.emplace(client, notice);
  for (const auto& [client, notice] : c.to_share)
    if (share_again(client, upstream, notice))
      c.own_notices.emplace(client, notice);  // it may have been served its own meanwhile
    else
      later.emplace(client, notice);
  return later;
}

/// It was no change for this client alone: it needs no list of its own. False: a call waits for it.
bool router::share_again(std::uint64_t client, std::size_t upstream, std::string_view notice) {
  const auto lists = own_lists_.find(client);
  auto s = sessions_.find_key(client);
  if (lists == own_lists_.end() || !s) return true;
  if (std::ranges::any_of(lists->second.each, [](auto& state) { return !state.waiting.empty(); }))
    return false;
  bool more = false;
  for (auto& state : lists->second.each) {
    if (mcp::change_notice(state.lists.kind()) == notice) state.lists.share(upstream);
    more |= state.lists.owns_any();
  }
  if (more || sees_per_client(*snapshot_, *s->access->view)) return true;
  erase_own_lists(client);
  s->own_lists = false;
  return true;
}

}  // namespace gate
