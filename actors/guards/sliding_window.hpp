#pragma once
/// Requests per minute: a sliding window of two one-minute buckets. What remains of the previous
/// minute counts in proportion, so that a burst at the turn of a minute is no way around a limit:
///
///   previous × remaining fraction + current + 1 ≤ limit
///
/// The limit is part of each question, since a reload changes limits while windows go on. Whoever
/// refuses does not `take`, so what is refused is not counted. Pure; part of RATE LIMITER and MINT.
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace gate::guards {

class sliding_window {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What somebody else has counted: in that minute of the clock, and in the one before.
  static sliding_window counted(std::int64_t minute, std::int64_t current, std::int64_t previous) {
    sliding_window out;
    out.minute_ = minute;
    out.current_ = current;
    out.previous_ = previous;
    return out;
  }

  /// The same of what was counted here.
  struct counts {
    std::int64_t minute = 0, current = 0, previous = 0;
  };
  counts as_counted() const { return {minute_, current_, previous_}; }

  /// May one more come in, at most `limit` a minute? 0: any number.
  bool has_room(std::int64_t limit, time_point now) const {
    if (limit <= 0) return true;
    const auto w = at(now);
    return fits(w.previous, w.into, limit - 1 - w.current);
  }
  /// One has come in.
  void take(time_point now) {
    const auto w = at(now);
    previous_ = w.previous;
    current_ = w.current + 1;
    minute_ = std::max(minute_, minute_of(now));
  }
  /// After a refusal: when to try again, in whole seconds, at least 1. (If nobody else comes.)
  std::chrono::seconds retry_after(std::int64_t limit, time_point now) const {
    using std::chrono::ceil, std::chrono::seconds;
    if (limit <= 0) return seconds{1};
    const auto w = at(now);
    const auto room = limit - 1 - w.current;
    // Within this minute, when little enough is left of the one before; else within the next.
    const auto wait = room >= 0 ? faded(w.previous, room) - w.into
                                : length - w.into + faded(w.current, limit - 1);
    return std::max(ceil<seconds>(wait), seconds{1});
  }
  /// So much counts now, in whole requests, as the rule above has it.
  std::int64_t used(time_point now) const {
    const auto w = at(now);
    const auto left = (length - w.into).count();
    return w.current + (w.previous * left + length.count() - 1) / length.count();
  }
  /// When nothing of what is in here counts any more, if nobody else comes.
  std::chrono::milliseconds clears_in(time_point now) const {
    using std::chrono::ceil, std::chrono::milliseconds;
    const auto w = at(now);
    if (w.current > 0) return ceil<milliseconds>(2 * length - w.into);
    return w.previous > 0 ? ceil<milliseconds>(length - w.into) : milliseconds{0};
  }
  /// Nothing in here counts any more: a new window would answer the same.
  bool idle(time_point now) const {
    const auto w = at(now);
    return w.previous == 0 && w.current == 0;
  }

 private:
  /// Whole numbers, so that the rule is kept exactly: doubles would let one in too early now and
  /// then. Microseconds: a count times a minute fits 64 bits up to 150 thousand million a minute.
  using microseconds = std::chrono::microseconds;
  static constexpr microseconds length = std::chrono::minutes{1};

  struct view {
    std::int64_t previous = 0, current = 0;
    microseconds into{0};  ///< the minute
  };
  static std::int64_t minute_of(time_point t) {
    return std::chrono::floor<std::chrono::minutes>(t.time_since_epoch()).count();
  }
  view at(time_point now) const {
    using std::chrono::floor;
    const auto since = floor<microseconds>(now.time_since_epoch());
    const auto passed = minute_of(now) - minute_;
    if (passed > 1) return {0, 0, since % length};
    if (passed == 1) return {current_, 0, since % length};
    if (passed == 0) return {previous_, current_, since % length};
    return {previous_, current_, microseconds{0}};  // no clock goes back; be strict if one does
  }
  static bool fits(std::int64_t previous, microseconds into, std::int64_t room) {
    if (room < 0) return false;
    return previous <= room || previous * (length - into).count() <= room * length.count();
  }
  /// How far into a minute so much is left of the one before that it fits.
  static microseconds faded(std::int64_t previous, std::int64_t room) {
    if (previous <= room) return microseconds{0};
    return length - microseconds{room * length.count() / previous};
  }

  std::int64_t previous_ = 0, current_ = 0;
  std::int64_t minute_ = 0;  ///< of the clock, that `current_` counts
};

}  // namespace gate::guards
