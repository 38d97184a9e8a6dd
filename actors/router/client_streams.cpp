#include "actors/router/client_streams.hpp"

#include "actors/router/client_sessions.hpp"
#include "actors/router/followed_streams.hpp"
#include "actors/router/list_shelf.hpp"
#include "actors/router/server_requests.hpp"
#include "actors/router/shared_sessions.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/results.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/sse/writer.hpp"

namespace gate::routing {

using namespace pipeline;
using sse::replay;

// --- of calls ------------------------------------------------------------------------------------

void client_streams::begin(call& c) {
  if (c.stream.begun()) return;
  auto& s = *c.session;
  // What the elements of a batch say shares one stream; it can not be resumed. Nor can any without
  // a session.
  const bool kept = !c.of_a_batch && c.era == mcp::era::session;
  c.stream.begin(*c.from, c.headers, kept ? &s.replay : nullptr, mcp::knows_priming(s.version));
  if (c.revoked && !c.of_a_batch) c.detach();
}

bool client_streams::send(call& c, std::string_view text) {
  if (!c.stream.begun() && !c.from->alive()) return false;
  if (c.revoked && c.of_a_batch) return false;  // the others' stream goes on
  begin(c);
  auto& s = *c.session;
  // Whoever is too slow has its stream ended in order, and comes back for the rest. (Not for what
  // could not be kept until then.)
  if (c.stream.number() && c.stream.attached() && c.from->queued() > limits::stream_queue_bytes &&
      mcp::knows_priming(s.version) && s.replay.keeps(text.size()))
    c.detach();
  return c.stream.say(*c.from, s.replay, text, unit_.now());
}

void client_streams::finish(call& c, std::string_view text) {
  auto& kept = c.session->replay;
  // The answer goes out even to the slow: it may be too large to be kept.
  if (!text.empty() && c.stream.number())
    c.stream.say(*c.from, kept, text, unit_.now());
  else if (!text.empty())
    send(c, text);
  c.stream.end(*c.from, kept);
}

// --- of sessions ---------------------------------------------------------------------------------

bool client_streams::send(sessions::client_session& s, std::string_view text) {
  if (s.visits) return false;  // what hears by it has streams of its own
  if (s.subscriber) return say(s, text);
  if (!s.profile->listening) return false;
  if (s.stream && s.stream->queued() > limits::stream_queue_bytes && s.replay.keeps(text.size())) {
    end_to_return(s);
  }
  const auto event = s.replay.add(replay::own_stream, text, unit_.now());
  if (!s.stream) return true;
  s.stream_written = unit_.now();
  s.stream->send(*event);
  return true;
}

/// On a stream of the stateless generation. Whoever is too slow for it reads everything anew:
/// nothing of it is kept.
bool client_streams::say(sessions::client_session& s, std::string_view text) {
  std::string method;
  if (!s.stream || !json::unquote(json::member(text, "method"), method) ||
      !mcp::stateless::wants(s.subscriber->honoured, method))
    return false;
  if (s.stream->queued() > limits::stream_queue_bytes) {
    conclude(s);
    return false;
  }
  std::string event;
  sse::append_event(event, mcp::stateless::of_subscription(text, s.subscriber->raw_id));
  s.stream_written = unit_.now();
  s.stream->send(event);
  return true;
}

/// Its stream ends in order, and with it what stands for it at upstreams.
void client_streams::conclude(sessions::client_session& s) {
  if (!s.subscriber->acknowledged) acknowledge(s);
  std::string event;
  sse::append_event(event, mcp::stateless::conclusion(s.subscriber->raw_id));
  s.stream->send(event);
  if (const auto whole = unit_.sessions.find_key(s.key)) profiles_.end(whole);
}

void client_streams::acknowledge(sessions::client_session& s) {
  auto& l = *s.subscriber;
  l.acknowledged = true;
  if (!s.stream) return;
  std::erase_if(l.honoured.uris, [&](const auto& uri) {
    return !s.subscriptions.contains(uri) || l.awaited.contains(uri);
  });
  std::string event;
  sse::append_event(event, mcp::stateless::acknowledgement(l.honoured, l.raw_id));
  s.stream_written = unit_.now();
  s.stream->send(event);
}

void client_streams::send_notices(sessions::client_session& s) {
  if (s.subscriber && !s.subscriber->acknowledged) return;
  while (!s.notices.empty() && s.stream && s.stream->queued() <= limits::stream_held_bytes)
    send(s, s.notices.take());
}

void client_streams::listen(const sessions::session_ptr& s, exchange_ptr stream) {
  s->replay.forget(replay::own_stream);
  attach(s, std::move(stream), {});
}

void client_streams::attach(const sessions::session_ptr& s, exchange_ptr stream,
                            std::string_view missed) {
  // A second stream takes the place of the first: after a network change the client knows better
  // than we do that the old one is dead.
  sse::begin_own(*stream, s->replay, missed, !s->subscriber && mcp::knows_priming(s->version));
  unit_.sessions.attach(s, std::move(stream), unit_.now());
  s->away_until.reset();
  lists_.await_news(s->subscriber ? *s->subscriber->caller : *s);
  // Its upstream sessions listen as long as the client does.
  profiles_.be_present(*s, true, false);
  if (s->shared) unit_.fleet->listens(*s);
  send_notices(*s);
  if (!winding_down_ || !s->calls.empty()) return;
  if (s->subscriber) return conclude(*s);
  unit_.sessions.end_stream(*s);
}

/// Upstreams go on talking to a client that is likely to come back.
void client_streams::await_return(sessions::client_session& s) {
  const auto t = unit_.now();
  unit_.sessions.touch(s, t);
  s.away_until = t + limits::return_time;
  away_.push_back({s.key, *s.away_until});
  profiles_.be_present(s, true, true);
}

/// What it misses is kept for it.
void client_streams::end_to_return(sessions::client_session& s) {
  if (s.subscriber) return conclude(s);
  unit_.sessions.end_stream(s);
  await_return(s);
}

void client_streams::client_gone(std::uint64_t number) {
  // A call in flight goes on: a dropped connection is not a cancellation (MCP 2025-11-25
  // /basic/transports). Only the session's stream has nothing more to do, and a call whose body
  // will not come. Where there are no sessions, there is no other way to cancel.
  if (const auto call = unit_.calls.cancelled_by(number)) return profiles_.abandon(call);
  if (auto s = unit_.sessions.stream_gone(number))
    s->subscriber ? profiles_.end(s) : await_return(*s);
}

/// It has come back at another instance.
void client_streams::listens_elsewhere(sessions::client_session& s) {
  unit_.sessions.end_stream(s);
  s.away_until.reset();
  s.replay.forget(replay::own_stream);
  s.notices = {};
  profiles_.be_present(s, false, false);
}

void client_streams::give_up_on_clients(time_point t) {
  while (!away_.empty() && away_.front().until <= t) {
    auto s = unit_.sessions.find_key(away_.front().client);
    away_.pop_front();
    // It may have come back, and gone again.
    if (!s || !s->away_until || *s->away_until > t) continue;
    s->away_until.reset();
    requests_.refuse(*s, 0);
    s->replay.forget(replay::own_stream);
    s->notices = {};
    profiles_.be_present(*s, false, false);
  }
}

// --- coming back ---------------------------------------------------------------------------------

pipeline::stream_desk::resumed client_streams::resume(const sessions::session_ptr& s,
                                                      std::string_view last_event_id,
                                                      exchange_ptr stream) {
  using outcome = sse::resumption::outcome;
  const auto back = sse::resume(s->replay, last_event_id);
  switch (back.what) {
    case outcome::unknown:
      return resumed::unknown;
    case outcome::over:
      return resumed::over;
    case outcome::own:
      resume_own(s, back.place, std::move(stream));
      return resumed::yes;
    case outcome::call:
      break;
  }
  sse::begin_resumed(*stream, s->replay, back, mcp::knows_priming(s->version));
  call* waiting = nullptr;
  for (const auto& [id, number] : s->calls)
    if (auto* c = unit_.calls.find(number); c && c->stream.number() == back.place.stream)
      waiting = c;
  if (!waiting) {
    stream->end_stream();
    return resumed::yes;
  }
  waiting->stream.come_back(*waiting->from, unit_.now());
  waiting->from = std::move(stream);
  waiting->revoked = false;  // it was another token that came for it
  waiting->lost.reset();
  return resumed::yes;
}

session_desk::search client_streams::seek(fact<stage::guard>& c) {
  return unit_.followed ? unit_.followed->seek(c) : session_desk::search::vain;
}

void client_streams::resume_own(const sessions::session_ptr& s, replay::position place,
                                exchange_ptr stream) {
  std::string missed;
  const auto state = s->replay.after(place, [&](std::string_view event) { missed += event; });
  if (state == replay::state::lost) {
    // What it missed is not known any more; the lists may be among it.
    s->replay.forget(replay::own_stream);
    for (const auto& l : mcp::lists)
      if (!l.change_notice.empty()) s->notices.add_list(l.change_notice);
  }
  attach(s, std::move(stream), missed);
}

/// Nobody waits for ever for a client that does not come back for what it is asked.
void client_streams::give_up_on_requests(call& c, time_point t) {
  if (!c.stream.number() || (c.stream.attached() && c.from->alive())) return;
  if (!c.lost) c.lost = t;
  if (t - *c.lost < limits::return_time) return;
  requests_.refuse(*c.session, c.number);
}

// --- with time -----------------------------------------------------------------------------------

void client_streams::tick(time_point t, oauth::wall_time wall) {
  keep_alive(t, wall);
  give_up_on_clients(t);
}

/// Proxies cut streams that are silent for long. A call that takes longer than a moment becomes a
/// stream, so that its client sees that somebody is there, and can come back for the answer.
void client_streams::keep_alive(time_point t, oauth::wall_time wall) {
  using std::chrono::milliseconds;
  const auto every = unit_.snapshot->doc.server.keep_alive;
  unit_.sessions.for_each_stream([&](sessions::client_session& s) {
    // A stream lasts no longer than the token it was opened with, or a newer one of its owner; and
    // that has to be shown now and then.
    if (const auto* who = s.access->who(); who && (wall >= who->expires + limits::token_leeway ||
                                                   t - s.shown >= limits::token_shown)) {
      return end_to_return(s);
    }
    send_notices(s);
    if (t - s.stream_written < every) return;
    s.stream_written = t;
    s.stream->send(sse::keep_alive);
  });
  unit_.calls.for_each([&](call& c) {
    if (c.route == route::undecided || c.route == route::local) return;  // /health: no stream
    if (!c.is_request) return;  // it waits for other instances
    give_up_on_requests(c, t);
    if (c.access()->who() && t - c.session->shown >= limits::token_shown) c.detach();
    const auto silence =
        c.stream.begun() ? every : std::min<milliseconds>(every, limits::plain_answer);
    if (!c.stream.silent(*c.from, silence, t)) return;
    begin(c);
    c.stream.keep_alive(*c.from, t);
  });
}

/// (The calls themselves go on: they were allowed when they came. Whoever has a good token comes
/// back for the answer.)
void client_streams::end_untrusted(identity::gatekeeper& keeper) {
  identity::gatekeeper::key_verdicts known;
  unit_.sessions.for_each_stream([&](sessions::client_session& s) {
    if (keeper.trusts(*s.access, known)) return;
    end_to_return(s);
  });
  unit_.calls.for_each([&](call& c) {
    if (!c.access() || keeper.trusts(*c.access(), known)) return;
    c.revoked = true;
    c.detach();
  });
  if (unit_.followed) unit_.followed->end_untrusted(keeper);
}

void client_streams::for_each_listener(
    const std::function<void(sessions::client_session&)>& f) const {
  unit_.sessions.for_each_stream(f);
  // Those who are about to come back hear of it then.
  for (const auto& absent : away_)
    if (auto s = unit_.sessions.find_key(absent.client); s && !s->stream && s->profile->listening)
      f(*s);
}

void client_streams::forget(call& c) {
  if (winding_down_ && c.session->calls.empty()) unit_.sessions.end_stream(*c.session);
}

/// Calls in flight are finished, and what they may yet say or ask on their session's own stream has
/// to reach their client.
void client_streams::wind_down() {
  winding_down_ = true;
  unit_.sessions.for_each_stream([this](sessions::client_session& s) {
    if (s.subscriber) return conclude(s);
    if (s.calls.empty()) unit_.sessions.end_stream(s);
  });
}

}  // namespace gate::routing
