// ROUTER: what happens with time, and the end.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"

namespace gate {

using namespace pipeline;

void router::on_tick() {
  const auto t = now();
  sweep_sessions(t);
  keep_streams_alive(t);
  give_up_on_clients(t);
  end_surveys(t);
  leave_departed();
  renew_subscriptions();
  look_again(t);
  if (places_.too_much()) lighten_own_lists();  // whoever could not go may be able to
  delayed_send(this, tick_interval, router_tick{});
}

void router::sweep_sessions(time_point t) {
  // A look at every session costs; a fraction of the timeout is fine enough.
  using std::chrono::seconds;
  const auto idle = snapshot_->doc.server.session_idle_timeout;
  if (t < next_sweep_) return;
  next_sweep_ =
      t + std::clamp<std::chrono::steady_clock::duration>(idle / 8, seconds{1}, seconds{30});
  sessions_.forget_events(t - limits::replay_time);
  if (!sweeping_) end_expired();
  sweep_profiles(t);
  sweep_lists(t);
}

/// However many expire in the same moment: others get their turn in between.
void router::end_expired() {
  const auto t = now();
  const auto before = t - snapshot_->doc.server.session_idle_timeout;
  for (const auto& s : sessions_.expire(before, t, limits::session_ends_at_once))
    forget_session(*s);
  sweeping_ = before < t && sessions_.due(before);
  if (sweeping_) delayed_send(this, limits::session_ends_pause, sweep_on{});
}

/// It is in the table no more: what hangs on it ends.
void router::forget_session(const sessions::client_session& s) {
  erase_own_lists(s.key);
  places_.forget(s.key);
  for (const auto index : s.upstreams)
    if (index < upstreams_.size() && upstreams_[index])
      send(upstreams_[index], client_ended{s.key});
  session_count_.add(-1);
}

/// Lists and root sessions for a kind of clients end some time after the last of these.
void router::sweep_profiles(time_point t) {
  for (const auto as : profiles_.expire(sessions_.profiles(), t, limits::bridged_idle)) {
    for (auto& u : upstreams_)
      if (u) send(u, release_root{as});
    std::erase_if(lists_, [&](const auto& x) { return x.first.first == as; });
  }
}

/// Lists of callers end some time after these were last seen. So do those of clients that do not
/// listen, if a server has not changed them for this client: the session that they came over ends
/// as well.
void router::sweep_lists(time_point t) {
  const auto unused = [t](const list_states& states) {
    return t - states.used >= limits::bridged_idle &&
           std::ranges::all_of(states.each, [](const auto& s) { return s.waiting.empty(); });
  };
  std::erase_if(lists_, [&](const auto& x) { return x.first.second && unused(x.second); });
  std::vector<std::uint64_t> over;
  for (const auto& [client, states] : own_lists_)
    if (unused(states) && !can_be_told(states.each.front()) &&
        std::ranges::none_of(states.each, [](const auto& s) { return s.lists.owns_any(); }))
      over.push_back(client);
  for (const auto client : over) {
    if (const auto s = sessions_.find_key(client)) s->own_lists = false;
    erase_own_lists(client);
  }
}

/// Proxies cut streams that are silent for long. A call that takes longer than a moment becomes a
/// stream, so that its client sees that somebody is there, and can come back for the answer.
void router::keep_streams_alive(time_point t) {
  using std::chrono::milliseconds;
  const auto every = snapshot_->doc.server.keep_alive;
  const auto wall = parts_.wall();
  sessions_.for_each_stream([&](sessions::client_session& s) {
    // A stream lasts no longer than the token it was opened with, or a newer one of its owner; and
    // that has to be shown now and then.
    if (const auto* who = s.access->who(); who && (wall >= who->expires + limits::token_leeway ||
                                                   t - s.shown >= limits::token_shown)) {
      sessions_.end_stream(s);
      return await_return(s);
    }
    send_notices(s);
    if (t - s.stream_written < every) return;
    s.stream_written = t;
    s.stream->send(sse::keep_alive);
  });
  calls_.for_each([&](call& c) {
    if (c.course == course::undecided || c.course == course::local) return;  // /health: no stream
    give_up_on_questions(c, t);
    if (c.access()->who() && t - c.session->shown >= limits::token_shown) c.detach();
    const auto silence = c.streaming ? every : std::min<milliseconds>(every, limits::plain_answer);
    if (t - c.last_write < silence || !c.attached || !c.from->alive()) return;
    begin_stream(c);
    c.last_write = t;
    c.from->send(sse::keep_alive);
  });
}

/// The process is about to end. Calls in flight are finished, and what they may yet say or ask on
/// their session's own stream has to reach their client.
void router::wind_streams_down() {
  winding_down_ = true;
  sessions_.for_each_stream([this](sessions::client_session& s) {
    if (s.calls.empty()) sessions_.end_stream(s);
  });
}

void router::refuse_all() {
  const auto refuse = [this](call_ptr c) {
    exit_stage::refuse({std::move(c),
                        {reason::overloaded, "the gateway is stopping", {}, -1},
                        "Retry-After: 5\r\n"},
                       *this);
  };
  for (auto exchange : bodies_.all())
    if (auto c = end_call(take_from_body(exchange))) refuse(std::move(c));
  for (const auto number : calls_.all()) refuse(end_call(number));
  sessions_.end_streams();
}

}  // namespace gate
