#pragma once
/// Results that claim a task which is somebody else's: the log hears of them, not of each. Part of
/// TASKS, whichever it is.
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "actors/who/named_in_log.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::tasks {

class claims {
 public:
  /// One was refused. `of`: the trace of the call that it answers.
  void note(const std::string& upstream, const trace::trace_id& of,
            std::chrono::steady_clock::time_point now) {
    ++refused_;
    if (now < told_at_) return;
    told_at_ = now + limits::task_claims_logged;
    log::warn("A result claims a task that is somebody else's; it stays theirs.",
              {{"upstream", upstream},
               {"claims", std::to_string(std::exchange(refused_, 0))},
               named_in_log(of)});
  }

 private:
  std::size_t refused_ = 0;  ///< the log has yet to hear of them
  std::chrono::steady_clock::time_point told_at_{};
};

}  // namespace gate::tasks
