#pragma once
/// Plays a recording, and again where what it does not say (`crossings`, `odd_turns`) may be why it
/// came out otherwise. What came closest to the recording is what it was.
#include "simulations/replay/player.hpp"

namespace gate::replay {

/// The most that a recording is played again.
inline constexpr int most_attempts = 12;

/// The document is a good one (`config::load`). With another than the recorded one it is played
/// once: nothing says what should have come out.
played play(const tape& of, const play_options& o);

}  // namespace gate::replay
