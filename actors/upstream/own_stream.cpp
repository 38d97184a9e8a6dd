#include "actors/upstream/own_stream.hpp"

#include <algorithm>
#include <utility>

#include "actors/upstream/handshake.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

void own_stream::begin(std::uint64_t id, time_point now, std::uint32_t shown) {
  id_ = id;
  shown_ = shown;
  settled_ = false;
  opened_ = now;
  place_.resumed(now);
}

bool own_stream::change(time_point now, std::chrono::milliseconds patience) {
  changed_ = before_ && now - opened_ < patience;
  if (!changed_) before_ = id_;
  return !changed_;
}

void own_stream::fall_back() {
  id_ = std::exchange(before_, 0);
  changed_ = true;
}

bool own_stream::acknowledged() {
  before_ = 0;
  return std::exchange(changed_, false);
}

void own_stream::in_new_session() {
  worked_ = settled_ = false;
  place_ = {};
}

void own_stream::pause_longer() {
  pause_ = std::clamp(pause_ * 2, limits::stream_pause, limits::stream_pause_most);
}

bool own_stream::is_refused(const fetched& f) {
  if (f.end != fetch_end::complete) return false;
  return f.status == 405 || (f.status == 200 && f.media != media::events) ||
         is_lost_session(f.status, f.body ? std::string_view(*f.body) : "");
}

own_stream::next own_stream::ended(const fetched& f, time_point now) {
  using enum next::step;
  const bool answered = f.end == fetch_end::complete;
  settled_ = true;
  if (answered && f.status == 405) return {never};
  worked_ |= place_.known();
  if (place_.known() && f.status != 404 && how_ended(f) == stream_end::refused) {
    // Perhaps because of the id. Nor is an event that was too much for us asked for again.
    place_.forget();
    if (answered && f.status != 200) return {at_once};
  }
  // Of a session that had a stream: it is forgotten. Of a new one: a server that knows only POST.
  if (answered && is_lost_session(f.status, f.body ? std::string_view(*f.body) : ""))
    return {worked_ ? lost : never};
  const bool was_open = f.status == 200 && f.media == media::events;
  if (answered && f.status == 200 && !was_open) return {never};
  place_.set_retry(f.retry_ms);
  const auto wanted = place_.wanted_pause();
  // One that names a time may end its streams as often as it likes, unless they are good for
  // nothing.
  const bool good =
      was_open && (now - opened_ >= limits::stream_good || (wanted && place_.worked(now)));
  if (good)
    pause_ = limits::stream_pause;
  else
    pause_longer();
  settled_ = !good;
  worked_ |= was_open;
  return {later, now + (wanted ? std::max(*wanted, pause_) : pause_)};
}

own_stream::time_point own_stream::after_failure(time_point now) {
  pause_longer();
  settled_ = true;
  return now + pause_;
}

bool own_stream::wait_until(time_point at) {
  due_ = at;
  return !std::exchange(armed_, true);
}

}  // namespace gate::upstream
