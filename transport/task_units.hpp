#pragma once
/// TASK UNITS: on which unit a task was made for a client without a session. Servers with sessions
/// may bind a task to the session that made it, and sessions live on units; so a connection that
/// asks for a task goes to its unit, as one does that names a session. ROUTERs write it and
/// connections read it, on all threads, without a lock: a table of fixed size, of sets of eight, in
/// each of which a new task takes the place of the oldest. (One place for each hash would lose one
/// of a hundred tasks in every third run.) It is a hint: whose a task is, and where, TASKS says;
/// who comes to the wrong unit has its request handled all the same.
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
    auto& in = set_of(name);
    const auto told = (name & ~number_bits) | (unit + 1U);
    for (auto& held : in.tasks)
      if (same(held.load(std::memory_order_relaxed), name))
        return held.store(told, std::memory_order_relaxed);
    const auto next = in.next.fetch_add(1, std::memory_order_relaxed);
    in.tasks[next % in.tasks.size()].store(told, std::memory_order_relaxed);
  }
  std::optional<std::uint8_t> find(std::string_view id) const {
    const auto name = hash(id);
    for (const auto& one : set_of(name).tasks)
      if (const auto held = one.load(std::memory_order_relaxed); same(held, name))
        return static_cast<std::uint8_t>((held & number_bits) - 1);
    return {};
  }

 private:
  /// Of a place: the unit's number and one, above it the rest of the id's hash. 0: it is free.
  static constexpr std::uint64_t number_bits = 0x1ff;
  static bool same(std::uint64_t held, std::uint64_t name) {
    return held && !((held ^ name) & ~number_bits);
  }
  static std::uint64_t hash(std::string_view id) {
    // (The low bits, which the number takes, choose the set.)
    return std::hash<std::string_view>{}(id)*0x9e3779b97f4a7c15U;
  }

  struct set {
    std::array<std::atomic<std::uint64_t>, 8> tasks{};
    std::atomic<std::uint8_t> next{};  ///< whose place the next one takes
  };
  set& set_of(std::uint64_t name) { return sets_[name % sets_.size()]; }
  const set& set_of(std::uint64_t name) const { return sets_[name % sets_.size()]; }

  std::array<set, limits::task_units / 8> sets_{};
};
/// Null: there is one unit.
using task_units_ptr = std::shared_ptr<task_units>;

}  // namespace gate
