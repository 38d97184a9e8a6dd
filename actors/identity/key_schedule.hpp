#pragma once
/// When an issuer's keys are fetched, and how long they are trusted. Pure; part of KEY SET.
///
///   state        somebody lacks a key                          time passes
///   no set       fetch, `key_set_retry` after the last one     the same
///   good         fetch, `key_set_again` after the last one     fetch after `key_set_refresh`
///   outage       the same                                      fetch after `key_set_again`;
///   without
///                                                              a good set after `key_set_last`
///
/// One fetch at a time, whoever asks.
#include <algorithm>
#include <chrono>

#include "protocol/limits.hpp"

namespace gate::identity {

class key_schedule {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  bool fetching() const { return fetching_; }
  /// Somebody lacks a key: fetch now?
  bool wanted(time_point now) const { return !fetching_ && now >= again_at(); }
  /// Nobody asks: fetch now?
  bool due(time_point now) const { return !fetching_ && now >= next(); }
  /// Asking before this is in vain. (While a fetch is under way it is worth to wait for that.)
  time_point again_at() const {
    if (!tried_ || fetching_) return time_point::min();
    return last_try_ + (good_ ? limits::key_set_again : limits::key_set_retry);
  }
  /// When to look again.
  time_point next() const {
    if (!tried_ || !good_) return again_at();
    const auto at = last_try_ + (failing_ ? limits::key_set_again : limits::key_set_refresh);
    return std::min(at, last_good_ + limits::key_set_last);
  }

  void begins(time_point now) {
    fetching_ = tried_ = true;
    last_try_ = now;
  }
  void succeeded(time_point now) {
    fetching_ = failing_ = false;
    good_ = true;
    last_good_ = now;
  }
  void failed() {
    fetching_ = false;
    failing_ = true;
  }
  /// The last good set has become too old to be trusted. True once.
  bool expires(time_point now) {
    if (!good_ || now < last_good_ + limits::key_set_last) return false;
    good_ = false;
    return true;
  }
  bool failing() const { return failing_; }

 private:
  bool fetching_ = false, tried_ = false, good_ = false, failing_ = false;
  time_point last_try_{}, last_good_{};
};

}  // namespace gate::identity
