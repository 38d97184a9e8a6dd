// ROUTER: the merged lists. What the cache wants is fetched from UPSTREAMs; list calls that can not
// be served at once wait until everything is there, or until their deadline.
#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate {

using namespace pipeline;

router::list_states router::make_lists(mcp::capability_profile as, std::uint64_t client) const {
  list_states out;
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n)
    out.push_back({{static_cast<mcp::list_kind>(n), snapshot_}, {}, as, client});
  return out;
}

/// The list as this client sees it.
router::list_state& router::list_of(const sessions::client_session& s, mcp::list_kind k) {
  auto& all = s.own_lists ? own_lists_[s.key] : lists_[s.lists_as];
  if (all.empty()) all = make_lists(s.lists_as, s.own_lists ? s.key : 0);
  return all[static_cast<std::size_t>(k)];
}

void router::for_each_list(const std::function<void(list_state&)>& f) {
  for (auto& [as, states] : lists_)
    for (auto& state : states) f(state);
  for (auto& [client, states] : own_lists_)
    for (auto& state : states) f(state);
}

list_outcome router::list(call& c) {
  auto& state = list_of(*c.session, c.method->list);
  std::vector<federation::wanted> wanted;
  const bool ready = state.lists.prepare(now(), wanted);
  c.ticket.notes().upstream_calls += static_cast<std::uint32_t>(wanted.size());
  fetch(state, wanted);
  if (!ready) return {list_outcome::state::waiting, {}, {}, 0, {}};
  return page_for(c, state.lists);
}

list_outcome router::page_for(call& c, federation::catalogue& lists) {
  using state = list_outcome::state;
  if (lists.all_missing()) {
    // With one upstream its own words are the answer; we only speak where it said nothing.
    if (snapshot_->passthrough && !lists.cache().error(0).empty())
      return {state::upstream_error, {}, {}, 0, lists.cache().error(0)};
    std::string ids;
    for (const auto& id : lists.missing()) ids += (ids.empty() ? "" : ", ") + id;
    return {state::all_down, {}, {}, 0, ids};
  }
  mcp::cursor_content where;
  where.list = static_cast<std::uint8_t>(lists.kind());
  where.digest = lists.digest();
  where.principal = c.session->principal;
  const auto from = offset_in(c, where);
  auto page = from ? lists.at(*from) : std::nullopt;
  if (!page) return {state::bad_cursor, {}, {}, 0, {}};
  list_outcome out{state::ready, std::move(page->head), {}, page->count, {}};
  if (page->next) out.tail = next_page(where, *page->next);
  out.tail += failures(lists.missing());
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

/// What a list says of upstreams that it lacks.
std::string router::failures(const std::vector<std::string>& upstreams) {
  if (upstreams.empty()) return {};
  std::string out = R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":[)";
  for (const auto& id : upstreams) {
    if (!out.ends_with('[')) out += ',';
    json::append_quoted(out, id);
  }
  return out + "]}}";
}

void router::fetch(list_state& state, const std::vector<federation::wanted>& what) {
  fetches_ += what.size();
  for (const auto& w : what) {
    if (upstreams_[w.upstream]) {
      send(upstreams_[w.upstream], fetch_list{w.fill, state.lists.kind(), state.as, state.client});
    } else {
      listed nobody;
      nobody.fill = w.fill;
      nobody.upstream = w.upstream;
      nobody.kind = state.lists.kind();
      nobody.as = state.as;
      nobody.client = state.client;
      send(this, std::move(nobody));
    }
  }
}

void router::on_listed(listed& m) {
  using taken = federation::list_cache::taken;
  if (m.kind == mcp::list_kind::tasks) {
    if (auto* c = calls_.find(m.fill); c && c->survey) on_surveyed(*c, m);
    return;
  }
  list_states* states = nullptr;
  if (auto it = lists_.find(m.as); !m.client && it != lists_.end()) states = &it->second;
  if (auto it = own_lists_.find(m.client); it != own_lists_.end()) states = &it->second;
  if (!states) return;  // whoever wanted it is gone
  auto& state = (*states)[static_cast<std::size_t>(m.kind)];
  auto& cache = state.lists.cache();
  const auto ttl = snapshot_->upstreams[m.upstream].cache_ttl;
  const auto how = m.items ? cache.filled(m.upstream, m.fill, std::move(m.items), now(), ttl)
                           : cache.failed(m.upstream, m.fill, std::move(m.error), now());
  if (how == taken::unexpected) return;
  if (how == taken::again) return fetch(state, {{m.upstream, cache.fill_of(m.upstream)}});
  serve_waiting(state);
  // A late list came, an old one was refreshed: whoever saw another one is told.
  if (state.lists.complete() && state.lists.differs_from_served()) tell(state, m.upstream);
}

void router::wait_for_list(std::uint64_t call, list_state& state) {
  state.waiting.push_back({call, now() + limits::list_deadline});
  if (list_tick_armed_) return;
  list_tick_armed_ = true;
  delayed_send(this, limits::list_deadline, list_tick{});
}

/// Answers the waiting calls if everything they wait for is there.
void router::serve_waiting(list_state& state) {
  if (state.waiting.empty() || !state.lists.complete()) return;
  for (auto& w : std::exchange(state.waiting, {}))
    if (auto c = take_call(w.number)) serve(std::move(c), state);
}

/// A call that waited for this list gets it as it is now, or goes on by what it says.
void router::serve(call_ptr c, list_state& state) {
  if (c->course == course::owner) return go_on_routing(std::move(c));
  auto outcome = page_for(*c, state.lists);
  mcp_stages::resume_after<proxy_step>(proxy_step::resume_list(std::move(c), std::move(outcome)),
                                       *this);
}

void router::go_on_routing(call_ptr c) {
  c->session->remove_call(c->number);
  mcp_stages::resume_after<route_step>(route_step::resume(std::move(c), *this), *this);
}

// --- owners of resources -------------------------------------------------------------------------

owner_outcome router::owner(const call& c) {
  using state = owner_outcome::state;
  owner_outcome out;
  for (auto kind : {mcp::list_kind::resources, mcp::list_kind::templates}) {
    auto& list = list_of(*c.session, kind);
    auto& lists = list.lists;
    // Who has waited for a list takes it as it came. It may be stale already, or never kept.
    const bool waited = c.awaited >> static_cast<unsigned>(kind) & 1;
    if (!waited || c.awaited_own != c.session->own_lists) {
      std::vector<federation::wanted> wanted;
      const bool ready = lists.prepare(now(), wanted);
      fetch(list, wanted);
      // The first in configuration order owns it, so all must have spoken.
      if (!ready) return {state::waiting, 0, kind, {}};
    }
    auto found = lists.owner(c.uri);
    if (!found && kind == mcp::list_kind::templates) found = lists.owner_by_template(c.uri);
    if (found) return {state::found, *found, kind, {}};
    for (const auto& id : lists.missing())
      if (out.missing.find(id) == out.missing.npos)
        out.missing += (out.missing.empty() ? "" : ", ") + id;
  }
  return out;
}

void router::park_for_owner(call_ptr c, mcp::list_kind awaited) {
  auto& state = list_of(*c->session, awaited);
  if (std::exchange(c->awaited_own, c->session->own_lists) != c->session->own_lists) c->awaited = 0;
  c->awaited |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(awaited));
  wait_for_list(park(std::move(c)), state);
}

/// Whoever has waited long enough gets what is there.
void router::serve_late(list_state& state, time_point t) {
  std::vector<waiting_call> rest, due;
  for (auto& w : state.waiting)
    if (calls_.find(w.number)) (w.deadline <= t ? due : rest).push_back(w);
  state.waiting = std::move(rest);
  if (!due.empty()) state.lists.cache().give_up_waiting();
  for (auto& w : due) serve(take_call(w.number), state);
}

/// Those who have waited long enough get what is there, and are told what is missing.
void router::on_list_tick() {
  const auto t = now();
  auto next = time_point::max();
  // Armed until the end: a call that is parked again on the way finds its deadline below.
  for_each_list([&](list_state& state) { serve_late(state, t); });
  for_each_list([&](list_state& state) {
    for (auto& w : state.waiting) next = std::min(next, w.deadline);
  });
  list_tick_armed_ = next != time_point::max();
  if (list_tick_armed_) delayed_send(this, next - t, list_tick{});
}

void router::refresh(list_state& state) {
  std::vector<federation::wanted> wanted;
  state.lists.prepare(now(), wanted);
  fetch(state, wanted);
}

}  // namespace gate
