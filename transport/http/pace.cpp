#include "transport/http/pace.hpp"

#include <algorithm>

namespace gate::http {
namespace {

using seconds = std::chrono::duration<double>;

/// Reading goes on in steps of this: what comes in one step keeps the calls of others waiting, so
/// it must be little; and a timer for each event would cost more than the event.
constexpr seconds step{0.01};
/// With rates that are next to nothing.
constexpr seconds longest_step{60};

seconds time_to_go_on(double left, double rate, double at_once) {
  const auto wanted = std::min(step.count() * rate, at_once / 2);
  return seconds{std::max(0.0, (wanted - left) / rate)};
}

}  // namespace

pace::pace(const answer_rates& rates, std::size_t bytes_at_once, time_point now)
    : rates_(rates),
      bytes_at_once_(static_cast<double>(bytes_at_once)),
      events_(rates.events_at_once),
      bytes_(bytes_at_once_),
      filled_(now) {}

void pace::refill(time_point now) {
  const auto passed = std::max(0.0, seconds(now - filled_).count());
  filled_ = now;
  events_ = std::min(rates_.events_at_once, events_ + passed * rates_.events_per_second);
  bytes_ = std::min(bytes_at_once_, bytes_ + passed * rates_.bytes_per_second);
}

void pace::spend(const answer_work& work, time_point now) {
  refill(now);
  const auto paid = static_cast<double>(work.bytes) / limits::stream_piece_bytes;
  const auto unpaid = std::max(0.0, static_cast<double>(work.pieces) - paid);
  events_ -= static_cast<double>(work.events) + unpaid / limits::stream_pieces_per_event;
  bytes_ -= static_cast<double>(work.bytes);
}

pace::time_point pace::go_on_at() const {
  const auto events = time_to_go_on(events_, rates_.events_per_second, rates_.events_at_once);
  const auto bytes = time_to_go_on(bytes_, rates_.bytes_per_second, bytes_at_once_);
  return filled_ + std::chrono::ceil<std::chrono::steady_clock::duration>(
                       std::min(longest_step, std::max(events, bytes)));
}

}  // namespace gate::http
