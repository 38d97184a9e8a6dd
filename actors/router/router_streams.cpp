// ROUTER: the event streams of clients. What is said on them is kept for a while, so that a client
// whose connection broke, or that was too slow, can come back for the rest. (MCP 2025-11-25
// /basic/transports, Resumability and Redelivery.)
#include "actors/router/router.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/sse/writer.hpp"

namespace gate {

using namespace pipeline;
using sse::replay;

// --- of calls ------------------------------------------------------------------------------------

/// From now on the call's answer is a stream. Its first byte goes out at once: with it the client
/// knows that somebody is there, and where to resume from.
void router::begin_stream(call& c) {
  if (c.streaming) return;
  c.from->open_stream(c.headers);
  c.streaming = true;
  // What the elements of a batch say shares one stream; it can not be resumed.
  if (c.of_a_batch) return;
  c.stream = c.session->replay.open();
  if (mcp::knows_priming(c.session->version)) c.from->send(c.session->replay.prime(c.stream));
  if (c.revoked) c.detach();
}

/// A message on the call's own stream, which is opened by the first; false if nobody will hear it.
bool router::send_event(call& c, std::string_view text) {
  if (!c.streaming && !c.from->alive()) return false;
  if (c.revoked && c.of_a_batch) return false;  // the others' stream goes on
  begin_stream(c);
  c.last_write = now();
  if (!c.stream) {
    std::string event;
    sse::append_event(event, text);
    return c.from->send(event);
  }
  // Whoever is too slow has its stream ended in order, and comes back for the rest. (Not for what
  // could not be kept until then.)
  if (c.attached && c.from->queued() > limits::stream_queue_bytes &&
      mcp::knows_priming(c.session->version) && c.session->replay.keeps(text.size()))
    c.detach();
  say(c, text);
  return true;
}

void router::say(call& c, std::string_view text) {
  const auto event = c.session->replay.add(c.stream, text, now());
  if (c.attached) c.from->send(*event);
}

void router::finish_stream(call& c, std::string_view text) {
  // The answer goes out even to the slow: it may be too large to be kept.
  if (!text.empty() && c.stream)
    say(c, text);
  else if (!text.empty())
    send_event(c, text);
  if (c.stream) c.session->replay.end(c.stream);
  if (c.attached) c.from->end_stream();
}

// --- of sessions ---------------------------------------------------------------------------------

/// A message on the client's own stream; kept if the client is only away for a moment. False if it
/// has none.
bool router::send_event(sessions::client_session& s, std::string_view text) {
  if (!s.profile->listening) return false;
  if (s.stream && s.stream->queued() > limits::stream_queue_bytes && s.replay.keeps(text.size())) {
    sessions_.end_stream(s);
    await_return(s);
  }
  const auto event = s.replay.add(replay::own_stream, text, now());
  if (!s.stream) return true;
  s.stream_written = now();
  s.stream->send(*event);
  return true;
}

/// What can be told later is held back from a client that is slow or away, so that it is told once.
void router::send_notices(sessions::client_session& s) {
  while (!s.notices.empty() && s.stream && s.stream->queued() <= limits::stream_held_bytes)
    send_event(s, s.notices.take());
}

/// The client opens its stream anew.
void router::listen(const sessions::session_ptr& s, exchange_ptr stream) {
  s->replay.forget(replay::own_stream);
  attach(s, std::move(stream), {});
}

void router::attach(const sessions::session_ptr& s, exchange_ptr stream, std::string_view missed) {
  // A second stream takes the place of the first: after a network change the client knows better
  // than we do that the old one is dead.
  stream->open_stream("");
  // Proxies and clients see the stream open only when a byte of it arrives.
  stream->send(sse::keep_alive);
  if (!missed.empty())
    stream->send(missed);
  else if (mcp::knows_priming(s->version))
    stream->send(s->replay.prime(replay::own_stream));
  sessions_.attach(s, std::move(stream), now());
  s->away_until.reset();
  await_news(*s);
  // Its upstream sessions listen as long as the client does.
  be_present(*s, true, false);
  send_notices(*s);
  if (winding_down_ && s->calls.empty()) sessions_.end_stream(*s);
}

/// Upstreams go on talking to a client that is likely to come back.
void router::await_return(sessions::client_session& s) {
  const auto t = now();
  sessions_.touch(s, t);
  s.away_until = t + limits::return_time;
  away_.push_back({s.key, *s.away_until});
  be_present(s, true, true);
}

/// What its upstream sessions know of the client's stream.
void router::be_present(sessions::client_session& s, bool listening, bool away) {
  if (s.profile->listening == listening && s.profile->away == away) return;
  auto p = *s.profile;
  p.listening = listening;
  p.away = away;
  change_profile(s, std::move(p));
}

void router::on_client_gone(std::uint64_t number) {
  give_up_on_body(number, "the client left before its body was read");
  // A call in flight goes on: a dropped connection is not a cancellation (MCP 2025-11-25
  // /basic/transports). Only the session's stream has nothing more to do, and a call whose body
  // will not come.
  if (auto s = sessions_.stream_gone(number)) await_return(*s);
}

void router::give_up_on_clients(time_point t) {
  while (!away_.empty() && away_.front().until <= t) {
    auto s = sessions_.find_key(away_.front().client);
    away_.pop_front();
    // It may have come back, and gone again.
    if (!s || !s->away_until || *s->away_until > t) continue;
    s->away_until.reset();
    refuse_questions(*s, 0);
    s->replay.forget(replay::own_stream);
    s->notices = {};
    be_present(*s, false, false);
  }
}

// --- coming back ---------------------------------------------------------------------------------

router::resumed router::resume(const sessions::session_ptr& s, std::string_view last_event_id,
                               exchange_ptr stream) {
  const auto place = replay::read(last_event_id);
  if (!place) return resumed::unknown;
  std::string missed;
  const auto state = s->replay.after(*place, [&](std::string_view event) { missed += event; });
  if (place->stream == replay::own_stream) {
    if (state == replay::state::lost) {
      // What it missed is not known any more; the lists may be among it.
      s->replay.forget(replay::own_stream);
      for (auto notice : mcp::change_notices) s->notices.add_list(notice);
    }
    attach(s, std::move(stream), missed);
    return resumed::yes;
  }
  if (state == replay::state::lost) return resumed::unknown;
  if (state == replay::state::ended && missed.empty()) return resumed::over;
  stream->open_stream("");
  stream->send(missed.empty() ? sse::keep_alive : std::string_view(missed));
  call* waiting = nullptr;
  for (const auto& [id, number] : s->calls)
    if (auto* c = calls_.find(number); c && c->stream == place->stream) waiting = c;
  if (!waiting) {
    stream->end_stream();
    return resumed::yes;
  }
  if (waiting->attached) waiting->from->end_stream();
  waiting->from = std::move(stream);
  waiting->attached = true;
  waiting->revoked = false;  // it was another token that came for it
  waiting->lost.reset();
  waiting->last_write = now();
  return resumed::yes;
}

/// Nobody waits for ever for a client that does not come back for what it is asked.
void router::give_up_on_questions(call& c, time_point t) {
  if (!c.stream || (c.attached && c.from->alive())) return;
  if (!c.lost) c.lost = t;
  if (t - *c.lost < limits::return_time) return;
  refuse_questions(*c.session, c.number);
}

/// What was asked within this call (0: of no call), and will not be answered.
void router::refuse_questions(sessions::client_session& s, std::uint64_t call) {
  std::erase_if(s.questions, [&](sessions::client_session::question& q) {
    if (q.call != call) return false;
    refuse_question(std::move(q), "the client is gone");
    return true;
  });
}

}  // namespace gate
