#pragma once
/// What may be used once, and was shown twice at one moment, at different units: which of them was
/// the first to be heard is not in the recording, but which of them got what it wanted is. Pure.
#include <cstddef>
#include <map>
#include <vector>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// By the visit that won: those that came before it and lost. In a replay they come behind it, each
/// behind the first that won it.
std::map<std::size_t, std::vector<std::size_t>> lost_races(const tape& of);

}  // namespace gate::replay
