// ROUTER: the merged lists. What the cache wants is fetched from UPSTREAMs; list calls that can not
// be served at once wait until everything is there, or until their deadline.
#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"
#include "transport/log.hpp"

namespace gate {

using namespace pipeline;

federation::catalogue& router::catalogue(mcp::list_kind k) {
  return lists_[static_cast<std::size_t>(k)].lists;
}

list_outcome router::list(call& c) {
  auto& lists = catalogue(c.method->list);
  std::vector<federation::wanted> wanted;
  const bool ready = lists.prepare(now(), wanted);
  c.ticket.notes().upstream_calls += static_cast<std::uint32_t>(wanted.size());
  fetch(lists, wanted);
  if (!ready) return {list_outcome::state::waiting, {}, {}, 0, {}};
  return page_for(c, lists);
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
  if (!c.message.cursor.empty()) {
    std::string text;
    if (!json::unquote(c.message.cursor, text)) return {state::bad_cursor, {}, {}, 0, {}};
    auto open = mcp::open(text, parts_.cursor_key);
    if (!open || open->list != where.list || open->digest != where.digest ||
        open->principal != where.principal)
      return {state::bad_cursor, {}, {}, 0, {}};
    where.offset = open->offset;
  }
  auto page = lists.at(where.offset);
  if (!page) return {state::bad_cursor, {}, {}, 0, {}};
  list_outcome out{state::ready, std::move(page->head), {}, page->count, {}};
  if (page->next) {
    where.offset = *page->next;
    out.tail = R"(,"nextCursor":")" + mcp::seal(where, parts_.cursor_key) + '"';
  }
  if (!lists.missing().empty()) {
    out.tail += R"(,"_meta":{"gate/partialFailure":{"failedUpstreams":[)";
    bool first = true;
    for (const auto& id : lists.missing()) {
      if (!std::exchange(first, false)) out.tail += ',';
      json::append_quoted(out.tail, id);
    }
    out.tail += "]}}";
  }
  return out;
}

void router::fetch(federation::catalogue& lists, const std::vector<federation::wanted>& what) {
  for (const auto& w : what) {
    if (upstreams_[w.upstream]) {
      send(upstreams_[w.upstream], fetch_list{w.fill, lists.kind()});
    } else {
      listed nobody;
      nobody.fill = w.fill;
      nobody.upstream = w.upstream;
      nobody.kind = lists.kind();
      send(this, std::move(nobody));
    }
  }
}

void router::on_listed(listed& m) {
  using taken = federation::list_cache::taken;
  auto& state = lists_[static_cast<std::size_t>(m.kind)];
  auto& cache = state.lists.cache();
  const auto ttl = snapshot_->upstreams[m.upstream].cache_ttl;
  const auto how = m.items ? cache.filled(m.upstream, m.fill, std::move(m.items), now(), ttl)
                           : cache.failed(m.upstream, m.fill, std::move(m.error), now());
  if (how == taken::unexpected) return;
  if (how == taken::again) return fetch(state.lists, {{m.upstream, cache.fill_of(m.upstream)}});
  serve_waiting(m.kind);
  // A late list came, an old one was refreshed: whoever saw another one is told.
  if (state.lists.complete() && state.lists.differs_from_served()) tell(state);
}

/// Answers the waiting calls if everything they wait for is there.
void router::serve_waiting(mcp::list_kind k) {
  auto& state = lists_[static_cast<std::size_t>(k)];
  if (state.waiting.empty() || !state.lists.complete()) return;
  for (auto& w : std::exchange(state.waiting, {})) {
    auto c = take_call(w.number);
    if (!c) continue;
    auto outcome = page_for(*c, state.lists);
    mcp_stages::resume_after<proxy_step>(proxy_step::resume_list(std::move(c), std::move(outcome)),
                                         *this);
  }
}

/// Those who have waited long enough get what is there, and are told what is missing.
void router::on_list_tick() {
  list_tick_armed_ = false;
  const auto t = now();
  auto next = time_point::max();
  for (auto& state : lists_) {
    std::vector<waiting_call> rest, due;
    for (auto& w : state.waiting) {
      if (!calls_.find(w.number)) continue;
      if (w.deadline <= t) {
        due.push_back(w);
      } else {
        rest.push_back(w);
        next = std::min(next, w.deadline);
      }
    }
    state.waiting = std::move(rest);
    if (!due.empty()) state.lists.cache().give_up_waiting();
    for (auto& w : due) {
      auto c = take_call(w.number);
      auto outcome = page_for(*c, state.lists);
      mcp_stages::resume_after<proxy_step>(
          proxy_step::resume_list(std::move(c), std::move(outcome)), *this);
    }
  }
  if (next != time_point::max()) {
    list_tick_armed_ = true;
    delayed_send(this, next - t, list_tick{});
  }
}

// --- list_changed -------------------------------------------------------------------------------

void router::on_list_changed(const list_changed& m) {
  auto& state = lists_[static_cast<std::size_t>(m.kind)];
  auto& cache = state.lists.cache();
  if (!m.certain) {
    cache.suspect(m.upstream);
    if (state.lists.served()) refresh(state);
    return;
  }
  // The cache first, then the clients: whoever asks because of the notification must get the new
  // list.
  cache.invalidate(m.upstream);
  if (!state.waiting.empty()) refresh(state);
  tell(state);
}

void router::refresh(list_state& state) {
  std::vector<federation::wanted> wanted;
  state.lists.prepare(now(), wanted);
  fetch(state.lists, wanted);
}

/// Tells the clients, soon, that this list has changed.
void router::tell(list_state& state) {
  state.lists.forget_served();
  state.changed = true;
  if (tell_armed_) return;
  tell_armed_ = true;
  delayed_send(this, limits::list_changed_debounce, tell_list_changed{});
}

void router::notify_clients() {
  tell_armed_ = false;
  for (auto& state : lists_) {
    if (!std::exchange(state.changed, false)) continue;
    std::string event;
    sse::append_event(event, R"({"jsonrpc":"2.0","method":"notifications/)" +
                                 std::string(mcp::shape(state.lists.kind()).member) +
                                 R"(/list_changed"})");
    sessions_.for_each_stream([&](sessions::client_session& s) {
      s.stream->send(event);
      s.stream_written = now();
    });
  }
}

}  // namespace gate
