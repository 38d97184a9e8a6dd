#pragma once
/// A rate limit per minute: a sliding window of two one-minute buckets. What remains of the
/// previous minute counts in proportion, so that a burst at the turn of a minute is no way around
/// it. What is refused is not counted. Pure.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

namespace gate::guards {

class sliding_window {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// At most `limit` requests a minute; 0: any number.
  explicit sliding_window(std::int64_t limit) : limit_(limit) {}

  /// Takes a request in, or says no.
  bool admit(time_point now) {
    if (limit_ <= 0) return true;
    turn(now);
    if (weight(now) + 1 > static_cast<double>(limit_)) return false;
    ++current_;
    return true;
  }
  /// After a refusal: when to try again, in whole seconds, at least 1. (If nobody else comes.)
  std::chrono::seconds retry_after(time_point now) const {
    using std::chrono::duration;
    const auto room = static_cast<double>(limit_ - 1);
    const duration<double> into = now - began_;
    const duration<double> minute = length;
    // Within this minute, when little enough is left of the one before; else within the next.
    auto at = [&](double before, double during) {
      return before <= 0 ? 0.0 : std::max(0.0, 1.0 - (room - during) / before);
    };
    auto wait = minute * at(static_cast<double>(previous_), static_cast<double>(current_)) - into;
    if (current_ > limit_ - 1) wait = minute - into + minute * at(static_cast<double>(current_), 0);
    return std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds{1});
  }

 private:
  static constexpr std::chrono::seconds length{60};

  void turn(time_point now) {
    if (!std::exchange(started_, true)) began_ = now;
    const auto passed = (now - began_) / length;
    if (passed <= 0) return;
    previous_ = passed == 1 ? current_ : 0;
    current_ = 0;
    began_ += passed * length;
  }
  double weight(time_point now) const {
    const std::chrono::duration<double> into = now - began_;
    const auto rest = 1.0 - into.count() / static_cast<double>(length.count());
    return static_cast<double>(previous_) * rest + static_cast<double>(current_);
  }

  std::int64_t limit_;
  std::int64_t previous_ = 0, current_ = 0;
  time_point began_{};
  bool started_ = false;
};

}  // namespace gate::guards
