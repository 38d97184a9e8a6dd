// ROUTER: the merged lists. What the cache wants is fetched from UPSTREAMs; list calls that can not
// be served at once wait until everything is there, or until their deadline.
#include "actors/guards/refusals.hpp"
#include "actors/pipeline/target.hpp"
#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate {

using namespace pipeline;

void router::for_each_list(const std::function<void(list_state&)>& f) {
  for (auto& [key, states] : lists_)
    for (auto& state : states.each) f(state);
  for (auto& [client, states] : own_lists_)
    for (auto& state : states.each) f(state);
}

list_outcome router::list(call& c) {
  c.session->listed.set(static_cast<std::size_t>(c.method->list));
  auto& state = list_of(*c.session, c.method->list);
  std::vector<federation::wanted> wanted;
  const bool ready = state.lists.prepare(c.access()->view, now(), wanted);
  fetch_for(c, state, wanted);
  if (!ready) return {list_outcome::state::waiting, {}, {}, 0, {}};
  return page_for(c, state);
}

list_outcome router::page_for(call& c, list_state& from_state) {
  using state = list_outcome::state;
  auto& lists = from_state.lists.list(c.access()->view);
  for (const auto& d : lists.take_duplicates())
    if (const auto* one = snapshot_->at(d.owner), *other = snapshot_->at(d.other);
        one && other && commons_->duplicates.tell(one->id + ' ' + other->id))
      log::warn("Two upstreams list the same resource; it is read from the first.",
                {{"upstream", one->id}, {"other", other->id}, {"uri", d.key}});
  if (lists.all_missing()) {
    lists.note_served();
    // With one upstream its own words are the answer; we only speak where it said nothing.
    if (snapshot_->passthrough) {
      const auto only = snapshot_->upstreams.front().index;
      const auto& error = from_state.lists.cache().error(only);
      if (!error.empty()) return {state::upstream_error, {}, {}, 0, error};
    }
    if (auto no = guards::refused_by_all(
            *snapshot_, *c.access(), [&](std::size_t i) { return from_state.lists.refused(i); }))
      return {state::refused, {}, {}, 0, {}, std::move(no)};
    std::string ids;
    for (const auto& id : lists.missing()) ids += (ids.empty() ? "" : ", ") + id;
    return {state::all_down, {}, {}, 0, ids};
  }
  mcp::cursor_content where;
  where.list = static_cast<std::uint8_t>(from_state.lists.kind());
  where.digest = lists.digest();
  where.principal = c.session->principal;
  const auto from = offset_in(c, where);
  auto page = from ? lists.at(*from) : std::nullopt;
  if (!page) return {state::bad_cursor, {}, {}, 0, {}};
  if (lists.differs_from_served()) expect_news(from_state);  // somebody before got another one
  list_outcome out{state::ready, std::move(page->head), {}, page->count, {}};
  if (page->next) out.tail = next_page(where, *page->next);
  out.tail += mcp::partial_failure(lists.missing(), lists.beside().nested());
  return out;
}

/// Where in this list the call's cursor points; nothing if it is one of another list.
std::optional<std::uint64_t> router::offset_in(const call& c,
                                               const mcp::cursor_content& list) const {
  if (c.message.cursor.empty()) return 0;
  std::string text;
  if (!json::unquote(c.message.cursor, text)) return {};
  const auto open = mcp::open(text, parts_.cursor_key);
  if (!open || open->list != list.list || open->digest != list.digest ||
      open->principal != list.principal)
    return {};
  return open->offset;
}

std::string router::next_page(mcp::cursor_content list, std::uint64_t offset) const {
  list.offset = offset;
  return R"(,"nextCursor":")" + mcp::seal(list, parts_.cursor_key) + '"';
}

/// On behalf of `who`, if there is a caller who causes it (of this snapshot or an older one).
void router::fetch(list_state& state, const std::vector<federation::wanted>& what,
                   const identity::access* who, std::uint64_t cause, const trace_ptr& trace) {
  fetches_ += what.size();
  if (who && who->generation != snapshot_->generation) who = nullptr;
  for (const auto& w : what) {
    const auto principal = w.shared ? 0 : state.principal;
    const auto client = w.shared ? 0 : state.client;
    if (upstreams_[w.upstream]) {
      const auto& u = *snapshot_->at(w.upstream);
      fetch_list wanted;
      wanted.fill = w.fill;
      wanted.kind = state.lists.kind();
      wanted.as = state.as;
      wanted.client = client;
      wanted.principal = principal;
      if (principal && u.per_caller) wanted.caller = state.caller;
      if (const auto s = u.per_client ? sessions_.find_key(client) : nullptr) {
        wanted.profile = s->profile;
        s->upstreams.add(u.index);
      }
      wanted.per_minute = u.requests_per_minute;
      wanted.costs = prices_.of(snapshot_, u, who);
      wanted.cause = cause;
      wanted.trace = trace;
      send(upstreams_[w.upstream], std::move(wanted));
    } else {
      listed nobody;
      nobody.fill = w.fill;
      nobody.upstream = w.upstream;
      nobody.kind = state.lists.kind();
      nobody.as = state.as;
      nobody.client = client;
      nobody.principal = principal;
      nobody.cause = cause;
      send(this, std::move(nobody));
    }
  }
}

/// What a call wants fetched. It counts as asked; if the call waits for it, the answer says how
/// often the upstream really was.
void router::fetch_for(call& c, list_state& state, const std::vector<federation::wanted>& what) {
  if (what.empty()) return;
  if (c.cause == 0) c.cause = ++causes_;
  c.ticket.notes().upstream_calls += static_cast<std::uint32_t>(what.size());
  fetch(state, what, c.access().get(), c.cause, trace_of(c));
}

/// The call that wanted this fetched, if it waits here.
call* router::caused(const list_state& state, const listed& m) const {
  if (m.cause == 0) return nullptr;
  for (const auto& w : state.waiting)
    if (auto* c = calls_.find(w.number); c && c->cause == m.cause) return c;
  return nullptr;
}

router::list_states* router::find_lists(const listed& m) {
  if (m.client) {
    auto it = own_lists_.find(m.client);
    return it == own_lists_.end() ? nullptr : &it->second;
  }
  auto it = lists_.find({m.as, m.principal});
  return it == lists_.end() ? nullptr : &it->second;
}

void router::on_listed(listed& m) {
  using taken = federation::list_cache::taken;
  if (m.kind == mcp::list_kind::tasks) {
    if (auto* c = calls_.find(m.fill); c && c->survey) on_surveyed(*c, m);
    return;
  }
  auto* states = find_lists(m);
  const auto* from = snapshot_->at(m.upstream);
  if (!states || !from) return;  // whoever wanted it is gone, or who said it
  auto& state = states->each[static_cast<std::size_t>(m.kind)];
  auto& cache = state.lists.cache();
  const auto ttl = from->cache_ttl;
  if (m.items) commons_->late.forget(from->id);
  const auto how =
      m.items ? cache.filled(m.upstream, m.fill, std::move(m.items), now(), ttl, std::move(m.rest))
              : cache.failed(m.upstream, m.fill, std::move(m.error), now(), m.refused);
  if (how == taken::unexpected) return;
  auto* by = caused(state, m);
  if (m.cause && !by)
    for (auto* other : leaning_on(state, m.upstream))
      if ((by = caused(*other, m))) break;
  if (by) by->ticket.notes().upstream_calls += m.asked;
  if (how == taken::again)
    return fetch(state, {{m.upstream, cache.fill_of(m.upstream)}}, nullptr, m.cause);
  if (by) --by->ticket.notes().upstream_calls;  // that it counted as
  const auto leaning = leaning_on(state, m.upstream);
  keep_lists_ = true;  // serving may make lists of a client
  came(state);
  for (auto* other : leaning) came(*other);
  keep_lists_ = false;
  if (m.client) weigh_own_lists(m.client);
}

/// The lists of callers and of clients that take this upstream's from these, which are everybody's.
std::vector<router::list_state*> router::leaning_on(const list_state& shared,
                                                    std::size_t upstream) {
  std::vector<list_state*> out;
  if (shared.client || shared.principal) return out;
  const auto kind = static_cast<std::size_t>(shared.lists.kind());
  for (auto& [key, others] : lists_)
    if (key.first == shared.as && key.second) out.push_back(&others.each[kind]);
  for (auto& [client, others] : own_lists_)
    if (others.each[kind].as == shared.as && !others.each[kind].lists.keeps(upstream))
      out.push_back(&others.each[kind]);
  return out;
}

/// Something came for this list. Whoever waited for it is served; whoever saw another one, because
/// this came late or an old one was refreshed, is told.
void router::came(list_state& state) {
  serve_waiting(state);
  if (state.lists.moved()) expect_news(state);
}

void router::wait_for_list(std::uint64_t call, list_state& state) {
  state.waiting.push_back({call, now() + limits::list_deadline});
  if (list_tick_armed_) return;
  list_tick_armed_ = true;
  delayed_send(this, limits::list_deadline, list_tick{});
}

/// Answers the waiting calls for which everything is there.
void router::serve_waiting(list_state& state) {
  std::vector<waiting_call> rest;
  std::vector<std::uint64_t> ready;
  for (auto& w : state.waiting) {
    auto* c = calls_.find(w.number);
    if (!c) continue;
    const auto what = c->course == course::owner ? federation::use::owner : federation::use::shown;
    if (state.lists.complete(c->access()->view, what))
      ready.push_back(w.number);
    else
      rest.push_back(w);
  }
  state.waiting = std::move(rest);
  for (const auto number : ready) serve(number, state);
}

/// A call that waited for this list gets it as it is now, or goes on by what it says.
void router::serve(std::uint64_t number, list_state& state) {
  auto* c = calls_.find(number);
  if (!c) return;
  if (c->course == course::owner) return go_on_routing(number);
  go_on_with_page(number, page_for(*c, state));
}

void router::go_on_with_page(std::uint64_t number, list_outcome outcome) {
  if (auto c = take_call<stage::guard>(number))
    mcp_stages::resume_after<proxy_step>(proxy_step::resume_list(std::move(*c), std::move(outcome)),
                                         *this);
}

void router::go_on_routing(std::uint64_t number) {
  auto c = take_call<stage::rate_limit>(number);
  if (!c) return;
  (*c)->session->remove_call(number);
  mcp_stages::resume_after<route_step>(route_step::resume(std::move(*c), *this), *this);
}

// --- owners of resources -------------------------------------------------------------------------

owner_outcome router::owner(call& c) {
  using state = owner_outcome::state;
  owner_outcome out;
  for (auto kind : {mcp::list_kind::resources, mcp::list_kind::templates}) {
    auto& list = list_of(*c.session, kind);
    const auto& view = c.access()->view;
    if (const auto known = list.lists.known_owner(view, c.uri, now()))
      return {state::found, *known, kind, {}};
    // Who has waited for a list takes it as it came. It may be stale already, or never kept.
    const bool waited = c.awaited >> static_cast<unsigned>(kind) & 1;
    if (!waited || c.awaited_own != places_.has(c.session->key)) {
      std::vector<federation::wanted> wanted;
      const bool ready = list.lists.prepare(view, now(), wanted, federation::use::owner);
      fetch_for(c, list, wanted);
      // The first in configuration order owns it, so all must have spoken.
      if (!ready) return {state::waiting, 0, kind, {}};
    }
    const auto& lists = list.lists.list(view);
    auto found = lists.owner(c.uri);
    if (!found && kind == mcp::list_kind::templates) found = lists.owner_by_template(c.uri);
    if (found) return {state::found, *found, kind, {}};
    for (const auto& id : lists.missing())
      if (out.missing.find(id) == out.missing.npos)
        out.missing += (out.missing.empty() ? "" : ", ") + id;
  }
  // In no list; but a result may have named it to this client.
  if (!c.session->named) return out;
  const auto* by = c.snapshot->find(c.session->named->find(c.uri));
  if (by && c.view().visible(by->index)) return {state::found, by->index, out.awaited, {}};
  return out;
}

void router::park_for_owner(fact<stage::rate_limit> c, mcp::list_kind awaited) {
  auto& state = list_of(*c->session, awaited);
  const bool own = places_.has(c->session->key);
  if (std::exchange(c->awaited_own, own) != own) c->awaited = 0;
  c->awaited |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(awaited));
  wait_for_list(put_aside(std::move(c), partner::lists), state);
}

/// Whoever has waited long enough gets what is there.
void router::serve_late(list_state& state, time_point t) {
  std::vector<waiting_call> rest, due;
  for (auto& w : state.waiting)
    if (calls_.find(w.number)) (w.deadline <= t ? due : rest).push_back(w);
  state.waiting = std::move(rest);
  if (!due.empty()) give_up_on_late(state, t);
  for (const auto& w : due) serve(w.number, state);
}

void router::give_up_on_late(list_state& state, time_point t) {
  for (const auto upstream : state.lists.give_up_waiting(t - limits::list_deadline))
    if (const auto* u = snapshot_->at(upstream); u && commons_->late.tell(u->id))
      log::warn("An upstream has not listed what it offers within 10 s; lists come without it.",
                {{"upstream", u->id}, {"list", std::string(mcp::method_of(state.lists.kind()))}});
}

/// Those who have waited long enough get what is there, and are told what is missing.
void router::on_list_tick() {
  const auto t = now();
  auto next = time_point::max();
  // Armed until the end: a call that is parked again on the way finds its deadline below.
  keep_lists_ = true;  // serving may make lists of a client
  for_each_list([&](list_state& state) { serve_late(state, t); });
  keep_lists_ = false;
  for_each_list([&](list_state& state) {
    for (auto& w : state.waiting) next = std::min(next, w.deadline);
  });
  list_tick_armed_ = next != time_point::max();
  if (list_tick_armed_) delayed_send(this, next - t, list_tick{});
}

/// Nobody has asked for it: what is counted is left alone, but one upstream that somebody waits
/// for.
void router::refresh(list_state& state, std::size_t also) {
  forget_former_views(state);
  std::vector<federation::wanted> wanted;
  state.lists.prepare_all(now(), wanted, [&](std::size_t upstream) {
    return upstream != also && is_charged(upstream);
  });
  fetch(state, wanted, nullptr, 0);
}

}  // namespace gate
