#pragma once
/// TASK UNITS: on which unit a task was made for a client without a session. Servers with sessions
/// may bind a task to the session that made it, and sessions live on units; so a connection that
/// asks for a task goes to its unit, as one does that names a session. ROUTERs write it and
/// connections read it, on all threads, without a lock: a table of fixed size, in which a new task
/// takes the place of another one in its slot. It is a hint: whose a task is, and where, TASKS
/// says; who comes to the wrong unit has its request handled all the same.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "protocol/limits.hpp"

namespace gate {

class task_units {
 public:
  void note(std::string_view id, std::uint8_t unit) {
    const auto name = hash(id);
    slots_[name % slots_.size()].store((name & ~number_bits) | (unit + 1U),
                                       std::memory_order_relaxed);
  }
  std::optional<std::uint8_t> find(std::string_view id) const {
    const auto name = hash(id);
    const auto held = slots_[name % slots_.size()].load(std::memory_order_relaxed);
    if (!held || ((held ^ name) & ~number_bits)) return {};
    return static_cast<std::uint8_t>((held & number_bits) - 1);
  }

 private:
  /// Of a slot: the unit's number and one, above it the rest of the id's hash. 0: it is free.
  static constexpr std::uint64_t number_bits = 0x1ff;
  static std::uint64_t hash(std::string_view id) {
    // (The low bits, which the number takes, choose the slot.)
    return std::hash<std::string_view>{}(id)*0x9e3779b97f4a7c15U;
  }

  std::array<std::atomic<std::uint64_t>, limits::task_units> slots_{};
};
/// Null: there is one unit.
using task_units_ptr = std::shared_ptr<task_units>;

}  // namespace gate
