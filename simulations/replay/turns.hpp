#pragma once
/// What a unit was told in one turn of its loop: it had not begun to work at any of it when the
/// last of it came, so a replay tells it all at once. What came of it in the recording depended on
/// that, as when a client leaves while its answer is there already. Pure.
#include <cstddef>
#include <set>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// How close together events are is only likely to say what was one turn. Where it is not so:
struct odd_turns {
  std::set<std::size_t> apart{};   ///< events that begin one, whatever came just before them
  std::set<std::size_t> longer{};  ///< those that do may last up to a millisecond
  bool operator==(const odd_turns&) const = default;
};

/// Behind the last event of the turn that begins with this one, which may be this one alone.
std::size_t end_of_turn(const tape& of, std::size_t first, const odd_turns& odd = {});

}  // namespace gate::replay
