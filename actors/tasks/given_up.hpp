#pragma once
/// Tasks whose records were given up for room: their ids, and these with their upstreams. Two Bloom
/// filters that take turns: constant size, however many tasks there are; one that was added is
/// found for at least `limits::task_record`. Pure; part of the ledger.
///
///   a filter has taken                    is a task of this id among   and at this upstream?
///                                         them, wherever?
///   up to `limits::task_filter_tasks`     yes; another one by mistake: 1 of 120 in each filter,
///                                         and of these 1 of 120 at this upstream
///   more (until both have turned)         yes, whatever the id         no: not known any more
///
/// What was given up at some upstream, by mistake or not, was so anywhere. So a task of which
/// nothing is known is never opened by mistake, nor is a new one that the ledger does not take; and
/// whoever lets millions of tasks be given up does not keep others from their new ones.
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gate::tasks {

using time_point = std::chrono::steady_clock::time_point;

class given_up {
 public:
  void add(std::string_view upstream, std::string_view id, time_point now);
  /// Was one of this id given up, at whatever upstream?
  bool anywhere(std::string_view id, time_point now);
  /// At this one?
  bool at(std::string_view upstream, std::string_view id, time_point now);

 private:
  struct filter {
    std::vector<bool> bits;  ///< empty as long as nothing was added
    std::size_t tasks = 0;
  };

  bool has(std::string_view key) const;
  bool full() const;
  void turn(time_point now);

  filter latest_, former_;
  time_point turn_at_{};
};

}  // namespace gate::tasks
