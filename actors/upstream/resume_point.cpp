#include "actors/upstream/resume_point.hpp"

#include <algorithm>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::upstream {

stream_end how_ended(const fetched& f) {
  switch (f.end) {
    case fetch_end::connect_failed:
    case fetch_end::connect_timeout:
    case fetch_end::overloaded:
      return stream_end::unreachable;
    case fetch_end::broken:
      if (f.status == 0) return stream_end::unreachable;
      break;
    case fetch_end::complete:
      break;
    default:
      return stream_end::refused;
  }
  if (f.status == 200 && f.media == media::events) return stream_end::over;
  switch (f.status) {
    case 409:  // it has not yet noticed that the connection before this one is gone
    case 429:
    case 502:
    case 503:
    case 504:
      return stream_end::unreachable;
    default:
      return stream_end::refused;
  }
}

bool is_event_id(std::string_view id) {
  return !id.empty() && id.size() <= limits::event_id_bytes && id.front() != ' ' &&
         id.back() != ' ' && std::ranges::all_of(id, [](char c) { return c >= 0x20 && c < 0x7f; });
}

void resume_point::received(sse::event& e) {
  received_ = true;
  if (!e.has_id) return;
  if (is_event_id(e.id))
    id_ = std::move(e.id);
  else
    id_.clear();
}

void resume_point::set_retry(std::optional<std::uint32_t> retry_ms) {
  if (retry_ms) retry_ = std::min<milliseconds>(milliseconds{*retry_ms}, limits::resume_wanted);
}

void resume_point::resumed(time_point now) {
  since_ = now;
  resumed_ = true;
  received_ = false;
}

bool resume_point::worked(time_point now) const {
  return received_ || now - since_ >= limits::resume_worked;
}

std::optional<resume_point::milliseconds> resume_point::pause(stream_end how, time_point now) {
  if (!known() || how == stream_end::refused) return {};
  if (how == stream_end::over && worked(now))
    in_vain_ = 0;
  else if (++in_vain_ >= limits::resume_attempts)
    return {};
  const auto first = std::max(retry_.value_or(limits::resume_pause), limits::resume_pause_least);
  const auto most = std::max<milliseconds>(first, limits::resume_pause_most);
  return std::min(first * (1U << in_vain_), most);
}

}  // namespace gate::upstream
