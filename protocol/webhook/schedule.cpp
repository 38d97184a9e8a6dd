#include "protocol/webhook/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "protocol/http/ascii.hpp"
#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::optional<seconds> read_pause(std::string_view text) {
  std::int64_t out = 0;
  if (!http::all_digits(text)) return {};
  if (std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc{}) return {};
  if (seconds{out} > limits::webhook_pause_most) return {};
  return seconds{out};
}

/// From four fifths to six fifths of it.
milliseconds jittered(milliseconds pause, std::uint32_t chance) {
  constexpr std::int64_t whole = 1'000'000, least = 800'000, span = 400'000;
  const auto factor = least + (span * static_cast<std::int64_t>(chance) >> 32);
  return milliseconds{pause.count() * factor / whole};  // a week is no more than 2^30 ms
}

}  // namespace

schedule::schedule()
    : pauses_{seconds{0},    seconds{5},      seconds{300},   seconds{1800},
              seconds{7200}, seconds{18'000}, seconds{36'000}} {}

result<schedule> schedule::read(std::string_view text) {
  schedule out;
  out.pauses_.clear();
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    more = comma != text.npos;
    const auto pause = read_pause(text.substr(0, comma));
    if (!pause)
      return problem{
          "a schedule is whole seconds before each attempt, with commas between: from 0 "
          "to " +
          std::to_string(limits::webhook_pause_most.count())};
    if (out.pauses_.size() == limits::webhook_attempts_most)
      return problem{"a schedule has at most " + std::to_string(limits::webhook_attempts_most) +
                     " attempts"};
    out.pauses_.push_back(*pause);
    if (more) text.remove_prefix(comma + 1);
  }
  return out;
}

std::optional<milliseconds> schedule::pause_after(
    std::size_t made, std::uint32_t chance, std::optional<seconds> retry_after) const noexcept {
  if (made >= pauses_.size()) return {};
  const milliseconds pause = pauses_[made];
  if (made == 0) return pause;
  const milliseconds told =
      std::min(retry_after.value_or(seconds{0}), limits::webhook_retry_after_most);
  return std::max(jittered(pause, chance), told);
}

next_step after_attempt(const outcome& what, std::size_t made, wall_time now, const schedule& by,
                        std::uint32_t chance, std::optional<wall_time> failing_since) {
  if (what.succeeded()) return {};
  if (what.end == ending::gone) return {state::dead, {}, disabled::gone};
  next_step out{state::dead, {}, disabled::no};
  if (const auto pause = by.pause_after(made, chance, what.retry_after)) {
    out.status = state::failed;
    out.next_attempt = now + *pause;
  }
  if (failing_since && now - *failing_since >= limits::webhook_failing)
    out.disable = disabled::failing;
  return out;
}

}  // namespace gate::webhook
