// SESSION: event streams. What is said on them is kept for a while, so that a client whose
// connection broke can come back for the rest. (MCP 2025-11-25 /basic/transports, Resumability and
// Redelivery.)
#include "protocol/http/media.hpp"
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
  // Before the version is known nobody can come back; nor to what the elements of a batch share.
  const bool lost = c.initialize || version_ == mcp::batch_version;
  c.stream.begin(*c.from, c.initialize ? headers() : std::string{}, lost ? nullptr : &replay_,
                 mcp::knows_priming(version_));
}

/// Does anybody listen to this request, or may come back to?
bool session::hears(conversation::number n) const {
  const auto& c = calls_.at(n);
  return c.stream.number() != 0 || c.from->alive();
}

void session::send_event(call& c, std::string_view text) {
  // Nobody hears it, and nobody can come back for it.
  if (!c.stream.begun() && !c.from->alive()) return;
  begin_stream(c);
  c.stream.say(*c.from, replay_, text, now());
}

/// Byte for byte as the child said it.
void session::answer(call c, std::string_view text) {
  if (!c.stream.begun()) {
    c.from->respond(
        {200, http::json_type, c.initialize && live_ ? headers() : std::string{}, false}, {text});
    return leave(std::move(c.from));
  }
  // It goes out even to the slow: it may be too large to be kept.
  c.stream.say(*c.from, replay_, text, now());
  c.stream.end(*c.from, replay_);
  if (!c.stream.attached()) return;
  leave(std::move(c.from));
}

void session::refuse_call(call c, reason why, std::string_view message) {
  std::string text(message);
  if (c.stream.begun()) {
    const auto said = mcp::refusal_message({why, std::move(text), {}, -1}, c.id);
    return answer(std::move(c), said);
  }
  std::string when(why == reason::overloaded ? http::retry_later : "");
  refuse(*c.from, {why, std::move(text), std::move(when)}, c.id);
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
  if (stopping_) return refuse(*from, {reason::overloaded, std::string(stopping)});
  if (somebody_is_slow() && leaving_.size() >= limits::shim_leaving)
    return refuse(*from, {reason::overloaded, "too many streams of this session are not read",
                          std::string(http::retry_later)});
  const auto last = from->request().header("last-event-id");
  if (last.empty()) return listen(heard_, std::move(from));
  using outcome = sse::resumption::outcome;
  const auto back = sse::resume(replay_, last);
  const auto said = replay_.now_at(replay::own_stream).number;
  if (back.what == outcome::own && back.place.number <= said)
    return listen(back.place, std::move(from));
  if (back.what == outcome::over) return refuse(*from, mcp::http_rule::stream_unfinished);
  if (back.what != outcome::call) return refuse(*from, mcp::http_rule::event_known);
  resume_call(back, std::move(from));
}

/// A second stream takes the place of the first: after a network change the client knows better
/// than we do that the old one is dead. `heard`: what it knows already. It gets what
/// was said while nobody listened; what is left of it, if it was more than is kept.
void session::listen(replay::position heard, exchange_ptr from) {
  std::string missed;
  if (!replay_.kept_after(heard, [&](std::string_view event) { missed += event; }))
    log::warn("Some of what the server said while nobody listened is kept no longer.",
              {{"session", label_}});
  if (stream_) {
    stream_->end_stream();
    leave(std::move(stream_));
  }
  stream_ = std::move(from);
  sse::begin_own(*stream_, replay_, missed, mcp::knows_priming(version_));
  stream_written_ = now();
  heard_ = replay_.now_at(replay::own_stream);
}

void session::resume_call(const sse::resumption& back, exchange_ptr from) {
  sse::begin_resumed(*from, back.missed);
  for (auto& [number, c] : calls_) {
    if (c.stream.number() != back.place.stream) continue;
    c.stream.come_back(*c.from, now());
    c.from = std::move(from);
    return;
  }
  from->end_stream();
}

void session::keep_alive(time_point t) {
  if (stream_ && !stream_->alive()) stream_ = nullptr;
  if (stream_ && t - stream_written_ >= limits::shim_keep_alive) {
    stream_written_ = t;
    stream_->send(sse::keep_alive);
  }
  for (auto& [number, c] : calls_) {
    // An answer to `initialize` stays plain: only so can its failure have a status of its own.
    if (c.initialize && !c.stream.begun()) continue;
    const std::chrono::seconds silence =
        c.stream.begun() ? limits::shim_keep_alive : limits::plain_answer;
    if (!c.stream.silent(*c.from, silence, t)) continue;
    begin_stream(c);
    c.stream.keep_alive(*c.from, t);
  }
}

}  // namespace gate::shim
