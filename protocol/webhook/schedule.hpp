#pragma once
/// SCHEDULE: when an attempt is made, and what an attempt's outcome does to its delivery and its
/// webhook. Pure: time and chance are handed in.
///
///   outcome                        delivery                          webhook
///   success                        succeeded                         as it was
///   410                            dead                              disabled (gone)
///   any other, attempts are left   failed, due after the next pause  disabled (failing), if there
///                                                                    was nothing else for days
///   any other, none is left        dead                              the same
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

class schedule {
 public:
  /// 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h: what senders of Standard Webhooks have in common.
  schedule();
  /// `0,5,300`: whole seconds before each attempt, at most `limits::webhook_attempts_most` of them,
  /// none above `limits::webhook_pause_most`.
  static result<schedule> read(std::string_view text);

  std::size_t attempts() const noexcept { return pauses_.size(); }
  const std::vector<std::chrono::seconds>& pauses() const noexcept { return pauses_; }

  /// How long to wait after `made` attempts (0: since it was accepted); nothing: that was the last.
  /// All pauses but the first are up to a fifth shorter or longer, by `chance`, so that what failed
  /// together does not come back together. A `Retry-After` makes it longer, never shorter.
  std::optional<std::chrono::milliseconds> pause_after(
      std::size_t made, std::uint32_t chance,
      std::optional<std::chrono::seconds> retry_after = {}) const noexcept;

 private:
  std::vector<std::chrono::seconds> pauses_;
};

/// What an attempt leads to.
struct next_step {
  state status = state::succeeded;
  std::optional<wall_time> next_attempt;  ///< if `failed`
  disabled disable = disabled::no;        ///< the webhook, unless it is already
};

/// `made`: attempts of this delivery, this one included. `failing_since`: of the webhook, before
/// this one.
next_step after_attempt(const outcome& what, std::size_t made, wall_time now, const schedule& by,
                        std::uint32_t chance, std::optional<wall_time> failing_since);

}  // namespace gate::webhook
