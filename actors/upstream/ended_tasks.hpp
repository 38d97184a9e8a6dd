#pragma once
/// ENDED TASKS: results of calls whose clients wished for a task, and whose servers, of the
/// stateless generation, have answered at once. To a client of the session generation such a call
/// is a task that was over when it began, whose result is here. Bounds: `limits::ended_tasks`,
/// `limits::ended_task_bytes`, `limits::ended_task_time`; and `limits::task_bytes`, with all others
/// who count in `total`. Pure; part of TASK BRIDGE.
#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace gate::upstream {

class ended_tasks {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `total` outlives it.
  explicit ended_tasks(std::size_t& total) : total_(total) {}
  ~ended_tasks();
  ended_tasks(const ended_tasks&) = delete;
  ended_tasks& operator=(const ended_tasks&) = delete;

  struct task {
    std::string id;      ///< raw
    std::string told;    ///< the task, raw
    std::string result;  ///< raw
    time_point until;
  };

  /// False: it is too large.
  bool add(task t, time_point now);
  /// Null: it is not known, or not any more. `raw_id` in whatever spelling.
  const task* find(std::string_view raw_id, time_point now);
  std::size_t size() const { return all_.size(); }
  /// Forgets those whose time is over; when the next one's will be.
  time_point expire(time_point now);

 private:
  void drop_oldest();

  std::deque<task> all_;  ///< the oldest first
  std::size_t bytes_ = 0;
  std::size_t& total_;
};

}  // namespace gate::upstream
