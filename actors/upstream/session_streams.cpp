// UPSTREAM SESSION: event streams that go on. The session's own stream is opened again whenever it
// ends; the stream that carries an answer is gone on with if it ended before the answer came.
//
//   a call's stream      ends, ids seen        pause over         the GET is refused
//   open                 wait                  -                  -
//   waits                -                     GET, open          -
//   open, by GET         wait, or give up      -                  the call fails; never sent again
//
// Deadline, cancellation and the end of the session treat one that waits as one that runs.
#include <algorithm>

#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

/// A GET in this session: for its own stream, or for the rest of the stream that had this event.
void session::get(std::uint64_t id, std::string_view last_event_id) {
  auto f = std::make_shared<fetch>();
  f->id = id;
  f->to = shared_->to[endpoint_];
  f->method = verb::get;
  auto headers = std::make_shared<std::string>("Accept: text/event-stream\r\n");
  if (!session_id_.empty()) *headers += "Mcp-Session-Id: " + session_id_ + "\r\n";
  if (!agreed_.version.empty()) *headers += "MCP-Protocol-Version: " + agreed_.version + "\r\n";
  *headers += credential_;
  if (!last_event_id.empty()) headers->append("Last-Event-ID: ").append(last_event_id) += "\r\n";
  f->headers = std::move(headers);
  f->repeatable = true;
  send(shared_->egress, start_fetch{std::move(f), caf::actor_cast<fetch_client>(this)});
}

// --- the session's own ---------------------------------------------------------------------------

void session::open_stream() {
  if (!has_credential(now())) return provide_credential();
  begin_stream();
}

void session::begin_stream() {
  stream_id_ = next_id_++;
  stream_opened_ = now();
  stream_place_.resumed(stream_opened_);
  auto& p = pending_[stream_id_];
  p.kind = purpose::stream;
  p.epoch = epoch_;
  await_word(p);
  get(stream_id_, stream_place_.id());
}

void session::open_stream_again() {
  open_stream();
  // What it would have said meanwhile is unknown, unless it is said now.
  if (hears_lists() && stream_worked_ && !stream_place_.known()) suspect_lists();
}

/// Opens again, at this time: what a session that listens does by itself. One timer, whatever
/// happens meanwhile; the latest word counts.
void session::reopen_at(time_point at) {
  stream_due_ = at;
  if (!std::exchange(reopen_armed_, true)) delayed_send(this, at - now(), reopen_stream{});
}

/// A pause is over. Meanwhile the stream may have been opened for another reason, and have ended in
/// another pause: that one holds.
void session::on_reopen() {
  reopen_armed_ = false;
  if (closing_) return;
  if (now() < stream_due_) return reopen_at(stream_due_);
  if (state_ == state::closed && listens()) return open();
  if (state_ == state::ready && !stream_id_ && wants_stream()) open_stream_again();
}

void session::close_stream() {
  if (!stream_id_) return;
  send(shared_->egress, abandon_fetch{stream_id_, caf::actor_cast<fetch_client>(this)});
  pending_.erase(stream_id_);
  stream_id_ = 0;
}

void session::on_stream_end(const fetched& f) {
  stream_id_ = 0;
  if (greeting_) {
    greeting_->stream_settled(now());
    check_greeting();
  }
  if (closing_ || state_ != state::ready) return quit_when_done();
  if (!wants_stream()) return;
  const bool answered = f.end == fetch_end::complete;
  if (answered && f.status == 405) return;  // it has no such stream, which it may
  if (answered) renew_credential(f.status, credentials_shown_);  // and then in a while again
  stream_worked_ |= stream_place_.known();
  if (stream_place_.known() && f.status != 404 && how_ended(f) == stream_end::refused) {
    // Perhaps because of the id: not all servers take one. Nor is an event that was too much for us
    // asked for again.
    stream_place_.forget();
    if (answered && f.status != 200) return open_stream_again();
  }
  if (answered && is_lost_session(f.status, f.body ? std::string_view(*f.body) : "")) {
    // Of a session that had a stream: it is forgotten. Of a new one: a server that knows only POST.
    if (stream_worked_) lose();
    return;
  }
  const bool was_open = f.status == 200 && f.media == media::events;
  if (answered && f.status == 200 && !was_open) return;  // some page for whoever comes with GET
  stream_place_.told(f.retry_ms);
  const auto t = now();
  const auto wanted = stream_place_.wanted_pause();
  // One that names a time may end its streams as often as it likes, unless they are good for
  // nothing.
  const bool good = was_open && (t - stream_opened_ >= limits::stream_good ||
                                 (wanted && stream_place_.worked(t)));
  stream_pause_ =
      good ? limits::stream_pause
           : std::clamp(stream_pause_ * 2, limits::stream_pause, limits::stream_pause_most);
  stream_worked_ |= was_open;
  const auto pause = wanted ? std::max(*wanted, stream_pause_) : stream_pause_;
  reopen_at(t + pause);
}

// --- answers -------------------------------------------------------------------------------------

/// A fetch that carries work has ended, and events with ids had come. True: if the answer has not,
/// it is still to be had; the entry stays and waits.
bool session::resume_later(pending& p, const fetched& f) {
  if (p.answered || (p.kind != purpose::work && p.kind != purpose::initialize)) return false;
  if (!in_session(p)) return false;
  p.place.told(f.retry_ms);
  const auto t = now();
  const auto pause = p.place.pause(how_ended(f), t);
  if (!pause) return false;
  p.resume_at = t + *pause;
  p.silent_at = never;
  arm(p.resume_at);
  return true;
}

void session::resume(std::uint64_t id) {
  auto it = pending_.find(id);
  if (it == pending_.end()) return;
  auto& p = it->second;
  p.resume_at = never;
  p.place.resumed(now());
  await_word(p);
  if (in_session(p)) return get(id, p.place.id());
  fetched f;
  f.id = id;
  f.end = fetch_end::broken;
  f.why = "the session was lost before its stream could be gone on with";
  on_fetched(f);
}

/// The session is lost: what waits to go on with one of its streams waits in vain.
void session::resume_none() {
  const auto t = now();
  for (auto& [id, p] : pending_) {
    if (p.resume_at == never) continue;
    p.resume_at = t;
    arm(t);
  }
}

}  // namespace gate::upstream
