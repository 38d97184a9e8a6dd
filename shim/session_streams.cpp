// SESSION: event streams. What is said on them is kept for a while, so that a client whose
// connection broke can come back for the rest. (MCP 2025-11-25 /basic/transports, Resumability and
// Redelivery.)
#include "protocol/limits.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/sse/writer.hpp"
#include "shim/front.hpp"
#include "shim/session.hpp"
#include "transport/log.hpp"

namespace gate::shim {

using sse::replay;

// --- of requests ---------------------------------------------------------------------------------

/// From now on the answer is a stream. Its first byte goes out at once.
void session::begin_stream(call& c) {
  if (c.streaming) return;
  c.from->open_stream(c.initialize ? headers() : std::string{});
  c.streaming = true;
  // Before the version is known nobody can come back; nor what the elements of a batch share.
  if (c.initialize || version_ == mcp::batch_version) return;
  c.stream = replay_.open();
  if (mcp::knows_priming(version_)) c.from->send(replay_.prime(c.stream));
}

/// Does anybody listen to this request, or may come back to?
bool session::hears(conversation::number n) const {
  const auto& c = calls_.at(n);
  return c.stream != 0 || c.from->alive();
}

void session::send_event(call& c, std::string_view text) {
  if (!c.streaming && !c.from->alive()) return;  // nobody hears it, and nobody can come back for it
  begin_stream(c);
  say(c, text);
}

void session::say(call& c, std::string_view text) {
  c.last_write = now();
  if (c.stream) {
    const auto event = replay_.add(c.stream, text, now());
    if (c.attached) c.from->send(*event);
    return;
  }
  std::string event;
  sse::append_event(event, text);
  c.from->send(event);
}

/// Byte for byte as the child said it.
void session::answer(call c, std::string_view text) {
  if (!c.streaming) {
    c.from->respond(
        {200, "application/json", c.initialize && live_ ? headers() : std::string{}, false},
        {text});
    return leave(std::move(c.from));
  }
  // It goes out even to the slow: it may be too large to be kept.
  say(c, text);
  if (c.stream) replay_.end(c.stream);
  if (!c.attached) return;
  c.from->end_stream();
  leave(std::move(c.from));
}

void session::refuse_call(call c, reason why, std::string_view message) {
  if (c.streaming) return answer(std::move(c), refusal_message(why, message, c.id));
  refuse(*c.from, why, message, why == reason::overloaded ? "Retry-After: 5\r\n" : "", c.id);
}

// --- of the session ------------------------------------------------------------------------------

/// What belongs to no request; kept until somebody listens.
void session::send_own(std::string_view text) {
  if (stream_ && !stream_->alive()) stream_ = nullptr;
  const auto event = replay_.add(replay::own_stream, text, now());
  if (!stream_) return;
  stream_written_ = now();
  if (stream_->send(*event)) heard_ = replay_.now_at(replay::own_stream);
}

void session::take_get(exchange_ptr from) {
  if (stopping_) return refuse(*from, reason::overloaded, "the shim is stopping");
  if (somebody_is_slow() && leaving_.size() >= limits::shim_leaving)
    return refuse(*from, reason::overloaded, "too many streams of this session are not read",
                  "Retry-After: 5\r\n");
  const auto last = from->request().header("last-event-id");
  std::string missed;
  const auto collect = [&](std::string_view event) { missed += event; };
  const auto place = last.empty() ? std::optional(heard_) : replay::read(last);
  if (place && place->stream == replay::own_stream &&
      place->number <= replay_.now_at(replay::own_stream).number) {
    // What was said while nobody listened; what is left of it, if it was more than is kept.
    if (!replay_.kept_after(*place, collect))
      log::warn("Some of what the server said while nobody listened is kept no longer.",
                {{"session", label_}});
    return listen(std::move(from), missed);
  }
  const auto state = place ? replay_.after(*place, collect) : replay::state::lost;
  if (state == replay::state::lost)
    return refuse(*from, reason::bad_request,
                  "Last-Event-ID: that stream is not known (any more) and can not be resumed");
  // Official clients ask again after an error, and for ever if they get an empty stream; this they
  // take for "nothing more".
  if (!resume_call(*place, state, missed, from))
    refuse(*from, reason::method_not_allowed,
           "Last-Event-ID: that stream has ended, and this was its last event",
           "Allow: GET, POST, DELETE\r\n");
}

/// A second stream takes the place of the first: after a network change the client knows better
/// than we do that the old one is dead.
void session::listen(exchange_ptr from, std::string_view missed) {
  if (stream_) {
    stream_->end_stream();
    leave(std::move(stream_));
  }
  stream_ = std::move(from);
  stream_->open_stream("");
  // Proxies and clients see the stream open only when a byte of it arrives.
  stream_->send(sse::keep_alive);
  if (!missed.empty())
    stream_->send(missed);
  else if (mcp::knows_priming(version_))
    stream_->send(replay_.prime(replay::own_stream));
  stream_written_ = now();
  heard_ = replay_.now_at(replay::own_stream);
}

/// False: that stream has ended, and everything on it was heard.
bool session::resume_call(replay::position place, replay::state state, std::string_view missed,
                          exchange_ptr from) {
  if (state == replay::state::ended && missed.empty()) return false;
  from->open_stream("");
  from->send(missed.empty() ? sse::keep_alive : missed);
  for (auto& [number, c] : calls_) {
    if (c.stream != place.stream) continue;
    if (c.attached) c.from->end_stream();
    c.from = std::move(from);
    c.attached = true;
    c.last_write = now();
    return true;
  }
  from->end_stream();
  return true;
}

void session::keep_alive(time_point t) {
  if (stream_ && !stream_->alive()) stream_ = nullptr;
  if (stream_ && t - stream_written_ >= limits::shim_keep_alive) {
    stream_written_ = t;
    stream_->send(sse::keep_alive);
  }
  for (auto& [number, c] : calls_) {
    // An answer to `initialize` stays plain: only so can its failure have a status of its own.
    if (!c.attached || !c.from->alive() || (c.initialize && !c.streaming)) continue;
    const std::chrono::seconds silence =
        c.streaming ? limits::shim_keep_alive : limits::plain_answer;
    if (t - c.last_write < silence) continue;
    begin_stream(c);
    c.last_write = t;
    c.from->send(sse::keep_alive);
  }
}

}  // namespace gate::shim
