#include "actors/upstream/stream_keeper.hpp"

#include "actors/upstream/approach.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/sender.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/stateless_sender.hpp"
#include "actors/upstream/watching.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

using phase = session_state::phase;

// --- the session's own ---------------------------------------------------------------------------

void stream_keeper::open() {
  if (!s_.has_credential()) return r_.way.provide_credential();
  begin();
}

void stream_keeper::begin_if_due() {
  if (s_.stream.id() && !s_.stream.before() && s_.stream.lacks()) return renew();
  if (s_.client.wants_stream() && !s_.stream.id() && s_.stream.due() <= s_.now()) begin();
}

void stream_keeper::renew() {
  if (s_.stateless() && s_.stream.id() && r_.plain.hears_anything()) {
    if (!s_.has_credential()) {
      s_.stream.falls_short();
      return r_.way.provide_credential();
    }
    const auto before = s_.stream.before();
    if (!s_.stream.change(s_.now(), s_.of.config.request))
      return reopen_at(s_.now() + s_.of.config.request);
    give_up(before);
    return begin();
  }
  close();
  if (s_.client.wants_stream()) open();
}

void stream_keeper::acknowledged(std::uint64_t id, std::string_view params) {
  if (id != s_.stream.id()) return;
  r_.watch.acknowledged(params);
  give_up(s_.stream.before());
  if (s_.stream.acknowledged()) renew();
}

void stream_keeper::give_up(std::uint64_t id) {
  if (!id) return;
  s_.doors.abandon(id);
  s_.table.take(id);
}

void stream_keeper::begin() {
  if (s_.stateless() && !r_.plain.hears_anything()) return;
  const auto id = s_.table.new_id();
  s_.stream.begin(id, s_.now(), s_.credential.number());
  await_word(s_.table.add(id, purpose::stream, s_.talk.epoch()));
  r_.watch.asked();
  if (s_.stateless()) return r_.plain.listen(id);
  r_.out.get(id, s_.stream.place().id());
}

void stream_keeper::open_again() {
  open();
  // What it would have said meanwhile is unknown, unless it is said now.
  if (s_.hears_lists() && s_.stream.missed_something()) r_.server.suspect_lists();
}

/// What a session that listens does by itself. One timer, whatever happens meanwhile.
void stream_keeper::reopen_at(time_point at) {
  if (s_.stream.wait_until(at)) s_.doors.reopen_after(at - s_.now());
}

/// Meanwhile the stream may have been opened for another reason, and have ended in another pause:
/// that one holds.
void stream_keeper::reopen() {
  s_.stream.rung();
  if (s_.closing) return;
  if (s_.now() < s_.stream.due()) return reopen_at(s_.stream.due());
  if (s_.now_is == phase::closed && s_.client.listens()) return r_.way.open();
  if (s_.now_is != phase::ready) return;
  if (s_.stream.id() && s_.stream.lacks()) return renew();
  if (!s_.stream.id() && s_.client.wants_stream()) open_again();
}

void stream_keeper::could_not_open() {
  if (!s_.client.listens() || s_.closing) return;
  reopen_at(s_.stream.after_failure(s_.now()));
  r_.client.stream_settled();
}

void stream_keeper::close() {
  if (!s_.stream.id()) return;
  give_up(s_.stream.before());
  give_up(s_.stream.id());
  s_.stream.closed();
}

void stream_keeper::ended(const fetched& f) {
  if (f.id == s_.stream.before()) {
    s_.stream.before_is_gone();
    return r_.life.settle();
  }
  // The one that the server does not take, or not now, takes nothing away.
  if (s_.stream.before() && !s_.closing && s_.now_is == phase::ready) {
    if (own_stream::is_refused(f)) r_.watch.refused();
    s_.stream.fall_back();
    if (renews_credential(f)) return renew();
    return reopen_at(s_.stream.after_failure(s_.now()));
  }
  give_up(s_.stream.before());
  s_.stream.closed();
  if (s_.greets) {
    s_.greets->stream_settled(s_.now());
    r_.life.check_greeting();
  }
  if (s_.closing || s_.now_is != phase::ready) return r_.life.settle();
  if (!s_.client.wants_stream()) return;
  if (renews_credential(f)) return open();
  const auto next = s_.stream.ended(f, s_.now());
  if (next.what != own_stream::next::step::at_once) r_.client.stream_settled();
  switch (next.what) {
    case own_stream::next::step::never:
      r_.watch.refused();
      // One that had a stream, and has none: it may be another server.
      if (s_.stream.worked() && s_.of.config.protocol == config::protocol_choice::automatic)
        r_.life.lose();
      return;
    case own_stream::next::step::at_once:
      return open_again();
    case own_stream::next::step::lost:
      return r_.life.lose();
    case own_stream::next::step::later:
      return reopen_at(next.at);
  }
}

/// It is asked for at once, with another credential.
bool stream_keeper::renews_credential(const fetched& f) {
  return f.end == fetch_end::complete && r_.way.renew_credential(f.status, s_.stream.shown()) &&
         s_.stream.renew_credential();
}

// --- answers -------------------------------------------------------------------------------------

bool stream_keeper::resume_later(pending& p, const fetched& f) {
  const bool resumable =
      p.kind == purpose::work || p.kind == purpose::initialize || p.kind == purpose::hearing;
  if (p.answered || !resumable) return false;
  if (!s_.in_session(p) || s_.stateless()) return false;
  p.place.set_retry(f.retry_ms);
  const auto t = s_.now();
  const auto pause = p.place.pause(how_ended(f), t);
  if (!pause) return false;
  p.resume_at = t + *pause;
  p.silent_at = session_state::never;
  s_.wake.set(p.resume_at);
  return true;
}

bool stream_keeper::resume(std::uint64_t id, pending& p) {
  p.resume_at = session_state::never;
  p.place.resumed(s_.now());
  await_word(p);
  if (!s_.in_session(p)) return false;
  r_.out.get(id, p.place.id());
  return true;
}

void stream_keeper::resume_none() {
  const auto t = s_.now();
  if (s_.table.end_pauses(t)) s_.wake.set(t);
}

// --- silence -------------------------------------------------------------------------------------

void stream_keeper::await_word(pending& p) {
  const auto idle = s_.of.config.stream_idle;
  const bool of_work = p.kind == purpose::work && !p.answered;
  if (idle.count() == 0 || (!of_work && p.kind != purpose::stream)) return;
  p.silent_at = s_.now() + idle;
  s_.wake.set(p.silent_at);
}

void stream_keeper::silent(std::uint64_t id) {
  auto* p = s_.table.find(id);
  if (!p) return;
  p->silent_at = session_state::never;
  if (p->answered || !p->questions.empty()) return;
  if (p->kind == purpose::stream) {
    close();
    if (s_.client.wants_stream()) reopen_at(s_.now() + limits::stream_pause);
    return;
  }
  s_.doors.abandon(id);
  fetched f;
  f.id = id;
  f.status = 200;
  f.media = media::events;
  f.end = fetch_end::broken;
  if (p->place.known() && resume_later(*p, f)) return;
  auto node = s_.table.take(id);
  r_.desk.silent(id, node.mapped());
}

}  // namespace gate::upstream
