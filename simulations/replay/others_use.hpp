#pragma once
/// What other instances of a fleet had used of limits and budgets, as far as the recording of one
/// of them tells: the store said how much was used in all, and what this one had asked for stands
/// in the recording, too. Pure.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// So much more had been used by others.
struct use_of_others {
  /// Index of an event: it was so by then. (Of the latest request before the store was asked, as it
  /// may have been what it was asked for, on whichever unit: one asks for all.)
  std::size_t by = 0;
  std::string key;  ///< of the record in the store
  std::int64_t sum = 0;
  /// Of a limit: the minute of the Unix epoch in which it came in.
  std::optional<std::int64_t> minute;
  /// Of a budget: the end of its period, in seconds of the Unix epoch.
  std::int64_t until = 0;
};

struct others {
  std::vector<use_of_others> used;  ///< by `by`, ascending
  /// The store's time, since the Unix epoch, when `t` was 0; nothing: it never said.
  std::optional<std::chrono::milliseconds> clock;
};

/// Records whose names a recording hides are left out.
others used_by_others(const tape& of);

}  // namespace gate::replay
