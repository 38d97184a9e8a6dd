#include "protocol/sse/streaming.hpp"

#include "protocol/sse/writer.hpp"

namespace gate::sse {

void answer_stream::begin(outlet& to, std::string_view headers, replay* kept, bool priming) {
  if (begun_) return;
  to.open_stream(headers);
  begun_ = true;
  if (!kept) return;
  number_ = kept->open();
  if (priming) to.send(kept->prime(number_));
}

bool answer_stream::say(outlet& to, replay& kept, std::string_view text, time_point now) {
  last_write = now;
  if (!number_) {
    std::string event;
    append_event(event, text);
    return to.send(event);
  }
  const auto event = kept.add(number_, text, now);
  if (attached_) to.send(*event);
  return true;
}

void answer_stream::end(outlet& to, replay& kept) {
  if (number_) kept.end(number_);
  if (attached_) to.end_stream();
}

void answer_stream::detach(outlet& from) {
  if (!begun_ || !attached_) return;
  from.end_stream();
  attached_ = false;
}

void answer_stream::come_back(outlet& from, time_point now) {
  detach(from);
  attached_ = true;
  last_write = now;
}

void answer_stream::keep_alive(outlet& to, time_point now) {
  last_write = now;
  to.send(sse::keep_alive);
}

void begin_own(outlet& to, replay& kept, std::string_view missed, bool priming) {
  to.open_stream("");
  // Proxies and clients see the stream open only when a byte of it arrives.
  to.send(keep_alive);
  if (!missed.empty())
    to.send(missed);
  else if (priming)
    to.send(kept.prime(replay::own_stream));
}

resumption resume(const replay& kept, std::string_view last_event_id) {
  using outcome = resumption::outcome;
  const auto place = replay::read(last_event_id);
  if (!place) return {};
  if (place->stream == replay::own_stream) return {outcome::own, *place};
  std::string missed;
  const auto state = kept.after(*place, [&](std::string_view event) { missed += event; });
  if (state == replay::state::lost) return {};
  if (state == replay::state::ended && missed.empty()) return {outcome::over};
  return {outcome::call, *place, std::move(missed)};
}

void begin_resumed(outlet& to, replay& kept, const resumption& back, bool priming) {
  to.open_stream("");
  if (!back.missed.empty())
    to.send(back.missed);
  else if (priming)
    to.send(kept.prime(back.place.stream));
  else
    to.send(keep_alive);
}

}  // namespace gate::sse
