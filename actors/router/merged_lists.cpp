#include "actors/router/merged_lists.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/federation/known_lists.hpp"
#include "actors/guards/refusals.hpp"
#include "actors/pipeline/tracing.hpp"
#include "actors/router/chain.hpp"
#include "actors/router/list_news.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

std::vector<list_state*> all_of(list_shelf& shelf) {
  std::vector<list_state*> out;
  shelf.for_each([&](list_state& state) { out.push_back(&state); });
  return out;
}

/// Its upstream is known, so it waits for what that says of the tool.
bool looks_for_tool(const call& c) {
  return c.route == route::upstream;
}

}  // namespace

/// One catalogue's list by one view. Who gets a page of it after others got another one makes news.
class merged_lists::shown final : public listing {
 public:
  shown(list_state& state, federation::view_list& list, const call& c, list_news& news)
      : state_(state), list_(list), principal_(c.session->principal), era_(c.era), news_(news) {}

  mcp::cursor_content identity() const override {
    mcp::cursor_content out;
    out.list = static_cast<std::uint8_t>(state_.lists.kind());
    out.digest = list_.digest();
    out.principal = principal_;
    return out;
  }
  std::optional<page> at(std::uint64_t offset) override {
    auto p = list_.at(offset, era_);
    if (!p) return {};
    if (list_.differs_from_served()) news_.expect(state_);
    return page{std::move(p->head), p->count, p->next};
  }
  bool partial() const override { return !list_.missing().empty(); }
  std::string beside(bool) const override {
    return mcp::partial_failure(list_.missing(), list_.beside().nested());
  }
  bool has_meta(bool first) const override { return first && list_.beside().meta(); }
  mcp::list_caching caching() const override { return list_.beside().caching(); }

 private:
  list_state& state_;
  federation::view_list& list_;
  std::uint64_t principal_;
  mcp::era era_;
  list_news& news_;
};

list_outcome merged_lists::list(call& c) {
  c.session->listed.set(static_cast<std::size_t>(c.method->list));
  auto& state = shelf_.of(*c.session, c.method->list);
  std::vector<federation::wanted> wanted;
  const bool ready = state.lists.prepare(c.access()->view, unit_.now(), wanted);
  fetch_for(c, state, wanted);
  found_[ready ? list_found::hit : list_found::miss].add();
  if (!ready) return {list_outcome::state::waiting};
  return outcome(c, state);
}

void merged_lists::note_duplicates(federation::view_list& lists) {
  for (const auto& d : lists.take_duplicates())
    if (const auto* one = unit_.snapshot->at(d.owner), *other = unit_.snapshot->at(d.other);
        one && other && shelf_.commons().duplicates.tell(one->id + ' ' + other->id))
      log::warn("Two upstreams list the same resource; it is read from the first.",
                {{"upstream", one->id}, {"other", other->id}, {"uri", d.key}});
}

list_outcome merged_lists::outcome(call& c, list_state& from) {
  using state = list_outcome::state;
  auto& lists = from.lists.list(c.access()->view);
  note_duplicates(lists);
  if (!lists.all_missing()) return {state::ready, std::make_unique<shown>(from, lists, c, news_)};
  lists.note_served();
  // With one upstream its own words are the answer; we only speak where it said nothing.
  if (unit_.snapshot->passthrough) {
    const auto& error = from.lists.sources().cache().error(unit_.snapshot->upstreams.front().index);
    if (!error.empty()) return {state::upstream_error, {}, error};
  }
  if (auto no = guards::refused_by_all(*unit_.snapshot, *c.access(), [&](std::size_t i) {
        return from.lists.sources().refused(i);
      }))
    return {state::refused, {}, {}, std::move(no)};
  std::string ids;
  for (const auto& id : lists.missing()) ids += (ids.empty() ? "" : ", ") + id;
  return {state::all_down, {}, ids};
}

/// On behalf of `who`, if there is a caller who causes it (of this snapshot or an older one); in
/// the trace of `by`, if there is a call that wants it.
void merged_lists::fetch(list_state& state, const std::vector<federation::wanted>& what,
                         const identity::access* who, std::uint64_t cause, const call* by) {
  fetches_ += what.size();
  if (who && who->generation != unit_.snapshot->generation) who = nullptr;
  for (const auto& w : what) {
    auto wanted = request_for(state, w);
    wanted.cause = cause;
    if (by) wanted.request = by->arrived->number();
    if (unit_.upstreams.there(w.upstream)) {
      wanted.costs = unit_.prices.of(unit_.snapshot, *unit_.snapshot->at(w.upstream), who);
      if (by) {
        auto to = trace_to(*by, *unit_.snapshot->at(w.upstream), mcp::method_of(wanted.kind));
        wanted.trace = std::move(to.lines);
        wanted.span = std::move(to.span);
      }
      unit_.upstreams.tell(w.upstream, std::move(wanted));
    } else {
      unit_.upstreams.answer_later(answer_to(wanted, w.upstream));
    }
  }
}

fetch_list merged_lists::request_for(list_state& state, const federation::wanted& w) {
  fetch_list out;
  out.fill = w.fill;
  out.kind = state.lists.kind();
  out.as = state.as;
  out.client = w.shared ? 0 : state.client;
  out.principal = w.shared ? 0 : state.principal;
  const auto& u = *unit_.snapshot->at(w.upstream);
  if (!unit_.upstreams.there(w.upstream)) return out;
  if (out.principal && u.per_caller) out.caller = state.caller;
  if (const auto s = u.per_client ? unit_.sessions.find_key(out.client) : nullptr) {
    out.profile = s->profile;
    s->upstreams.add(u.index);
  }
  out.per_minute = u.requests_per_minute;
  out.cached = u.cache_ttl.value_or(std::chrono::milliseconds{0});
  return out;
}

/// What a call wants fetched. It counts as asked; if the call waits for it, the answer says how
/// often the upstream really was.
void merged_lists::fetch_for(call& c, list_state& state,
                             const std::vector<federation::wanted>& what) {
  if (what.empty()) return;
  if (c.cause == 0) c.cause = ++causes_;
  c.ticket.notes().upstream_calls += static_cast<std::uint32_t>(what.size());
  fetch(state, what, c.access().get(), c.cause, &c);
}

/// The call that wanted this fetched, if it waits here.
call* merged_lists::caused(const list_state& state, const listed& m) const {
  if (m.cause == 0) return nullptr;
  for (const auto number : unit_.calls.waiting_for(partner::lists, state.id))
    if (auto* c = unit_.calls.find(number); c->cause == m.cause) return c;
  return nullptr;
}

void merged_lists::on_listed(listed& m) {
  using taken = federation::list_cache::taken;
  auto* states = shelf_.find(m);
  const auto* from = unit_.snapshot->at(m.upstream);
  if (!states || !from) return;  // whoever wanted it is gone, or who said it
  auto& state = states->each[static_cast<std::size_t>(m.kind)];
  auto& cache = state.lists.sources().cache();
  auto ttl = from->cache_ttl;
  if (ttl) *ttl = std::max(*ttl - m.age, std::chrono::milliseconds{0});
  if (m.items) shelf_.commons().late.forget(from->id);
  const auto how =
      m.items ? cache.filled(m.upstream, m.fill, std::move(m.items), unit_.now(), ttl,
                             std::move(m.rest))
              : cache.failed(m.upstream, m.fill, std::move(m.error), unit_.now(), m.refused);
  if (how == taken::unexpected) return;
  auto* by = caused(state, m);
  if (m.cause && !by)
    for (auto* other : shelf_.leaning_on(state, m.upstream))
      if ((by = caused(*other, m))) break;
  if (by) by->ticket.notes().upstream_calls += m.upstream_calls;
  if (how == taken::again)
    return fetch(state, {{m.upstream, cache.fill_of(m.upstream)}}, nullptr, m.cause);
  if (by) --by->ticket.notes().upstream_calls;  // that it counted as
  const auto leaning = shelf_.leaning_on(state, m.upstream);
  {
    const list_shelf::walk hold(shelf_);  // serving may make lists of a client
    arrived(state);
    for (auto* other : leaning) arrived(*other);
  }
  if (m.client) shelf_.weigh(m.client);
}

/// Something came for this list. Whoever waited for it is served; whoever saw another one, because
/// this came late or an old one was refreshed, is told.
void merged_lists::arrived(list_state& state) {
  serve_waiting(state);
  if (state.lists.moved()) news_.expect(state);
}

/// So long a call waits for this list; whoever is late by then is given up.
wait merged_lists::wait_of(const list_state& state) {
  if (!std::exchange(timer_armed_, true)) unit_.time.wake(timer::late_lists, limits::list_deadline);
  return {partner::lists, state.id, unit_.now() + limits::list_deadline};
}

/// Answers the waiting calls for which everything is there.
void merged_lists::serve_waiting(list_state& state) {
  std::vector<std::uint64_t> ready;
  for (const auto number : unit_.calls.waiting_for(partner::lists, state.id)) {
    auto& c = *unit_.calls.find(number);
    const auto what = c.looks_for_owner() ? federation::use::owner : federation::use::shown;
    const bool there = looks_for_tool(c) ? !state.lists.sources().awaits(c.upstream->index)
                                         : state.lists.complete(c.access()->view, what);
    if (there) ready.push_back(number);
  }
  for (const auto number : ready) serve(number, state);
}

/// A call that waited for this list gets it as it is now, or goes on by what it says.
void merged_lists::serve(std::uint64_t number, list_state& state) {
  auto* c = unit_.calls.find(number);
  if (!c) return;
  if (c->looks_for_owner()) return go_on_routing(unit_, number);
  if (looks_for_tool(*c)) return go_on_asking(unit_, number);
  go_on_with_list(unit_, number, outcome(*c, state));
}

void merged_lists::wait(fact<stage::guard> c) {
  const auto w = wait_of(shelf_.of(*c->session, c->method->list));
  unit_.calls.put_aside(std::move(c), w);
}

// --- owners of resources -------------------------------------------------------------------------

namespace {

/// For the sake of an explanation nobody is asked, and nothing is made or kept: there is no client,
/// so it goes by what everybody and this caller have been shown, as clients of whatever kind.
owner_outcome known_owner(call& c, list_shelf& shelf) {
  const auto principal = c.access()->key();
  owner_outcome out;
  std::vector<std::size_t> unknown;
  for (const auto& l : mcp::lists) {
    if (!mcp::owns_uris(l.kind)) continue;
    std::vector<federation::list_sources*> lists;
    shelf.for_each([&](list_state& state) {
      const bool shown = !state.client && (!state.principal || state.principal == principal);
      if (shown && state.lists.kind() == l.kind) lists.push_back(&state.lists.sources());
    });
    const auto found = federation::find_known_owner(*c.snapshot, c.view(), l.kind, lists, c.uri);
    const auto before = std::exchange(unknown, {});
    std::ranges::set_union(before, found.unknown, std::back_inserter(unknown));
    if (!found.upstream) continue;
    out = {owner_outcome::state::found, *found.upstream, l.kind, {}};
    break;
  }
  for (const auto place : unknown) {
    const auto& id = c.snapshot->upstreams[place].id;
    out.missing += (out.missing.empty() ? "" : ", ") + id;
    c.inquiry->unknown.push_back(id);
  }
  return out;
}

}  // namespace

owner_outcome merged_lists::owner(call& c) {
  if (c.inquiry) return known_owner(c, shelf_);
  using state = owner_outcome::state;
  owner_outcome out;
  for (const auto& l : mcp::lists) {
    const auto kind = l.kind;
    if (!mcp::owns_uris(kind)) continue;
    auto& list = shelf_.of(*c.session, kind);
    const auto& view = c.access()->view;
    if (const auto known = list.lists.known_owner(view, c.uri, unit_.now()))
      return {state::found, *known, kind, {}};
    // Who has waited for a list takes it as it came. It may be stale already, or never kept.
    const bool waited = c.awaited >> static_cast<unsigned>(kind) & 1;
    if (!waited || c.awaited_own != shelf_.holds_place(c.session->key)) {
      std::vector<federation::wanted> wanted;
      const bool ready = list.lists.prepare(view, unit_.now(), wanted, federation::use::owner);
      fetch_for(c, list, wanted);
      // The first in configuration order owns it, so all must have spoken.
      if (!ready) return {state::waiting, 0, kind, {}};
    }
    const auto& lists = list.lists.list(view);
    auto found = lists.owner(c.uri);
    if (!found && l.by == mcp::keyed::by_template) found = lists.owner_by_template(c.uri);
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

void merged_lists::wait_for_owner(fact<stage::rate_limit> c, mcp::list_kind awaited) {
  auto& state = shelf_.of(*c->session, awaited);
  const bool own = shelf_.holds_place(c->session->key);
  if (std::exchange(c->awaited_own, own) != own) c->awaited = 0;
  c->awaited |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(awaited));
  unit_.calls.put_aside(std::move(c), wait_of(state));
}

// --- tools that are called -----------------------------------------------------------------------

/// Of those whose list nobody has seen nothing is known, and that is as good: nobody was told that
/// headers repeat what is said.
tool_outcome merged_lists::tool(call& c, bool wanted) {
  const auto index = c.upstream->index;
  const auto find = [&](list_state& in) -> std::optional<tool_outcome> {
    const auto* listed = in.lists.sources().listed(index);
    if (!listed) return {};
    const auto at = listed->annotated.find(c.ticket.notes().name);
    return tool_outcome{false, at == listed->annotated.end() ? nullptr : at->second->rules};
  };
  if (auto* seen = shelf_.seen_by(*c.session))
    if (auto known = find(seen->of(mcp::list_kind::tools))) return *known;
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(mcp::list_kind::tools));
  if (!wanted || c.awaited & bit || !unit_.snapshot->at(index)) return {};
  auto& state = shelf_.of(*c.session, mcp::list_kind::tools);
  std::vector<federation::wanted> fetched;
  const bool ready = state.lists.sources().prepare_one(index, unit_.now(), fetched);
  fetch_for(c, state, fetched);
  if (!ready) return {true};
  return find(state).value_or(tool_outcome{});
}

void merged_lists::wait_for_tool(fact<stage::guard> c) {
  auto& state = shelf_.of(*c->session, mcp::list_kind::tools);
  c->awaited |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(mcp::list_kind::tools));
  const auto w = wait_of(state);
  unit_.calls.put_aside(std::move(c), w);
}

/// Whoever has waited long enough gets what is there.
void merged_lists::serve_late(list_state& state, time_point t) {
  auto due = unit_.calls.waiting_for(partner::lists, state.id);
  std::erase_if(due, [&](auto number) { return !unit_.calls.is_late(number, t); });
  if (!due.empty()) give_up_on_late(state, t);
  for (const auto number : due) serve(number, state);
}

void merged_lists::give_up_on_late(list_state& state, time_point t) {
  for (const auto upstream : state.lists.sources().give_up_waiting(t - limits::list_deadline))
    if (const auto* u = unit_.snapshot->at(upstream); u && shelf_.commons().late.tell(u->id))
      log::warn("An upstream has not listed what it offers within 10 s; lists come without it.",
                {{"upstream", u->id}, {"list", std::string(mcp::method_of(state.lists.kind()))}});
}

/// Those who have waited long enough get what is there, and are told what is missing.
void merged_lists::on_timer() {
  const auto t = unit_.now();
  // Armed until the end: a call that is parked again on the way finds its deadline below.
  {
    const list_shelf::walk hold(shelf_);  // serving may make lists of a client
    shelf_.for_each([&](list_state& state) { serve_late(state, t); });
  }
  const auto next = unit_.calls.next_late(partner::lists);
  timer_armed_ = next != pipeline::wait::never;
  if (timer_armed_) unit_.time.wake(timer::late_lists, next - t);
}

/// Nobody has asked for it: what is counted is left alone, but one upstream that somebody waits
/// for.
void merged_lists::refresh(list_state& state, std::size_t also) {
  shelf_.forget_former_views(state);
  std::vector<federation::wanted> wanted;
  state.lists.prepare_all(unit_.now(), wanted, [&](std::size_t upstream) {
    return upstream != also && is_charged(upstream);
  });
  fetch(state, wanted, nullptr, 0);
}

bool merged_lists::is_charged(std::size_t upstream) {
  const auto* u = unit_.snapshot->at(upstream);
  return u && (u->requests_per_minute > 0 || unit_.prices.of(unit_.snapshot, *u, nullptr));
}

// --- when an upstream is lost, or another configuration comes -----------------------------------

/// The first call that can not go on without this upstream's list, which is kept here.
call* merged_lists::stopped_by(const list_state& state, std::size_t upstream) const {
  auto where = shelf_.leaning_on(state, upstream);
  const auto look = [&](const list_state& at) -> call* {
    for (const auto number : unit_.calls.waiting_for(partner::lists, at.id)) {
      auto* c = unit_.calls.find(number);
      if (looks_for_tool(*c) ? c->upstream->index == upstream : c->looks_for_owner()) return c;
    }
    return nullptr;
  };
  if (auto* c = look(state)) return c;
  for (const auto* other : where)
    if (auto* c = look(*other)) return c;
  return nullptr;
}

void merged_lists::lost(std::size_t upstream, const std::function<bool(const list_state&)>& which,
                        bool again) {
  if (!unit_.snapshot->at(upstream)) return;  // lists know nothing of it any more
  // Serving may make lists of a client, so they are gathered first.
  auto lost = all_of(shelf_);
  std::erase_if(lost, [&](auto* state) { return !which(*state); });
  const list_shelf::walk hold(shelf_);
  for (auto* state : lost) {
    auto& cache = state->lists.sources().cache();
    auto* stopped = again ? stopped_by(*state, upstream) : nullptr;
    if (cache.lost(upstream, unit_.now(), stopped))
      fetch_for(*stopped, *state, {{upstream, cache.fill_of(upstream)}});
    serve_waiting(*state);
  }
}

void merged_lists::adopt(const federation::catalogue::succession& views) {
  const auto all = all_of(shelf_);  // serving may make lists of a client
  for (auto* state : all) state->lists.adopt(unit_.snapshot, views);
  const list_shelf::walk hold(shelf_);
  std::vector<std::uint64_t> waiting;
  for (auto* state : all) {
    // What new upstreams list is not known yet: who was served before is told, if that makes a
    // difference, when they have said it.
    if (state->lists.served() && shelf_.can_be_told(*state)) refresh(*state);
    state->compare = false;
    news_.tell_views(*state);
    std::ranges::copy(unit_.calls.waiting_for(partner::lists, state->id),
                      std::back_inserter(waiting));
  }
  for (const auto number : waiting) ask_again(number);
  unit_.time.wake(timer::newcomers, limits::list_deadline);
}

/// A newcomer that hangs must not hold back what else has changed.
void merged_lists::on_newcomers_due() {
  shelf_.for_each([&](list_state& state) {
    if (state.lists.served()) give_up_on_late(state, unit_.now());
  });
  shelf_.for_each([&](list_state& state) {
    if (state.lists.moved()) news_.expect(state);
  });
}

/// A call that waits for a list has not been judged yet, and is none of an upstream's: it goes over
/// to the new configuration, or it would miss the successor of an upstream that has changed.
void merged_lists::ask_again(std::uint64_t number) {
  auto* c = unit_.calls.find(number);
  if (!c) return;
  if (looks_for_tool(*c)) return go_on_asking(unit_, number);  // which has been judged
  renew(*c, unit_, keeper_);
  c->awaited = 0;
  if (c->looks_for_owner()) return go_on_routing(unit_, number);
  c->session->remove_call(number);
  auto again = unit_.calls.take<stage::guard>(number);
  auto outcome = list(**again);
  if (outcome.what == list_outcome::state::waiting) return wait(std::move(*again));
  mcp_stages::resume_after<proxy_step>(
      proxy_step::resume_list(std::move(*again), std::move(outcome)), unit_.desk);
}

}  // namespace gate::routing
