#pragma once
/// What a unit was told in one turn of its loop: it had not begun to work at any of it when the
/// last of it came, so a replay tells it all at once. What came of it in the recording depended on
/// that, as when a client leaves while its answer is there already. Pure.
#include <cstddef>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// Behind the last event of the turn that begins with this one, which may be this one alone.
std::size_t end_of_turn(const tape& of, std::size_t first);

}  // namespace gate::replay
