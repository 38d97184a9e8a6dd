#include "protocol/sse/replay.hpp"

#include <algorithm>
#include <charconv>

#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"

namespace gate::sse {
namespace {

std::string id_of(replay::position p) {
  return std::to_string(p.stream) + '-' + std::to_string(p.number);
}

/// What an event costs beside its text: the nodes that hold it, and its frame on the wire.
constexpr std::size_t overhead = 160;
constexpr std::size_t frame = 64;

}  // namespace

std::optional<replay::position> replay::read(std::string_view id) {
  position p;
  const auto* end = id.data() + id.size();
  const auto stream = std::from_chars(id.data(), end, p.stream);
  if (stream.ec != std::errc{} || stream.ptr == end || *stream.ptr != '-') return {};
  const auto number = std::from_chars(stream.ptr + 1, end, p.number);
  if (number.ec != std::errc{} || number.ptr != end) return {};
  return p;
}

replay::stream& replay::of(std::uint64_t number) {
  if (auto it = streams_.find(number); it != streams_.end()) return it->second;
  if (streams_.size() >= limits::replay_streams) {
    const auto old = std::ranges::find_if(streams_, [](auto& s) { return s.second.ended; });
    if (old != streams_.end()) streams_.erase(old);
  }
  auto& s = streams_[number];
  if (number == own_stream) s.missing = own_floor_;
  return s;
}

std::string replay::prime(std::uint64_t number) {
  of(number);
  pool_->settle(*this);
  std::string out;
  constexpr auto pause = static_cast<std::uint32_t>(limits::client_retry.count());
  append_priming(out, id_of({number, next_number_++}), pause);
  return out;
}

std::shared_ptr<const std::string> replay::add(std::uint64_t number, std::string_view data,
                                               time_point now) {
  const position at{number, next_number_++};
  auto text = std::make_shared<std::string>();
  append_event(*text, data, id_of(at));
  auto& s = of(number);
  s.since = now;
  const auto cost = text->size() + overhead;
  if (cost > limits::replay_bytes) {
    s.missing = at.number;
    pool_->settle(*this);
    return text;
  }
  while (bytes_ + cost > limits::replay_bytes || events_.size() >= limits::replay_events)
    drop_oldest();
  pool_->make_room(cost);
  events_.push_back({at, now, text});
  bytes_ += cost;
  pool_->bytes_ += cost;
  pool_->settle(*this);
  return text;
}

void replay::drop(const event& e) {
  const auto cost = e.text->size() + overhead;
  bytes_ -= cost;
  pool_->bytes_ -= cost;
}

void replay::drop_oldest() {
  const auto& e = events_.front();
  if (auto it = streams_.find(e.at.stream); it != streams_.end()) it->second.missing = e.at.number;
  drop(e);
  events_.pop_front();
}

bool replay::keeps(std::size_t bytes) const {
  return bytes + frame + overhead <= limits::replay_bytes;
}

void replay::end(std::uint64_t number) {
  of(number).ended = true;
  pool_->settle(*this);
}

void replay::forget(std::uint64_t number) {
  std::erase_if(events_, [&](const event& e) {
    if (e.at.stream != number) return false;
    drop(e);
    return true;
  });
  streams_.erase(number);
  if (number == own_stream) own_floor_ = next_number_ - 1;
  pool_->settle(*this);
}

void replay::forget_before(time_point t) {
  while (!events_.empty() && events_.front().since < t) drop_oldest();
  std::erase_if(streams_, [&](const auto& s) { return s.second.ended && s.second.since < t; });
  pool_->settle(*this);
}

replay::state replay::after(position p, const std::function<void(std::string_view)>& send) const {
  const auto it = streams_.find(p.stream);
  if (it == streams_.end() || p.number >= next_number_) return state::lost;
  const auto& s = it->second;
  const bool gap = p.number < s.missing;
  if (gap && p.stream == own_stream) return state::lost;
  bool any = false;
  for (const auto& e : events_) {
    if (e.at.stream != p.stream || e.at.number <= p.number) continue;
    send(*e.text);
    any = true;
  }
  if (gap && !any) return state::lost;
  return s.ended ? state::ended : state::open;
}

bool replay::kept_after(position p, const std::function<void(std::string_view)>& send) const {
  for (const auto& e : events_)
    if (e.at.stream == p.stream && e.at.number > p.number) send(*e.text);
  const auto it = streams_.find(p.stream);
  return it == streams_.end() || p.number >= it->second.missing;
}

void replay::clear() {
  pool_->bytes_ -= bytes_;
  bytes_ = 0;
  events_.clear();
  streams_.clear();
  pool_->leave(*this);
}

}  // namespace gate::sse
