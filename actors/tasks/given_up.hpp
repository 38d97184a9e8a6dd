#pragma once
/// Ids of tasks whose records were given up for room. Two Bloom filters that take turns: constant
/// size, however many they are; an id that was added is found for at least `limits::task_record`;
/// one that was not is found by mistake the more likely the more were added (1 of 400 after two
/// millions in that time). A mistake refuses a task that this process does not know anyway, it
/// never opens one. Pure; part of the ledger.
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gate::tasks {

using time_point = std::chrono::steady_clock::time_point;

class given_up {
 public:
  void add(std::string_view id, time_point now);
  bool has(std::string_view id, time_point now);

 private:
  using bits = std::vector<bool>;

  void turn(time_point now);

  /// The latest, and the one before; empty as long as nothing was added.
  bits latest_, former_;
  time_point turn_at_{};
};

}  // namespace gate::tasks
