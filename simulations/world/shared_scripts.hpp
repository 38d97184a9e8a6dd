#pragma once
/// What the scripts of actors/fleet do, for a store without Lua. The real ones are compared with
/// these against a real server (tests/end_to_end/fleet.mjs).
#include "simulations/world/fake_store.hpp"

namespace gate::sim {

/// It knows all scripts from now on. Its clock is the stage's, and says that it is so much later.
void teach_scripts(fake_store& store, std::chrono::milliseconds since_epoch);

/// What somebody else lets in: so many more within this minute (of the Unix epoch) in the window
/// that is called so. Only stores of ours know it.
store_request ask_to_count(std::string window, std::int64_t minute, std::int64_t sum);

}  // namespace gate::sim
