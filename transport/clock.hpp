#pragma once
/// What the actors may not take from the environment themselves: the wall clock and randomness.
/// Handed in at spawn; tests hand in constants and seeded generators. (Monotonic time is the actor
/// clock's.)
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

namespace gate {

using wall_clock = std::function<std::chrono::system_clock::time_point()>;
/// Fills the span with random bytes.
using random_source = std::function<void(std::span<std::uint8_t>)>;

wall_clock system_wall_clock();
/// OpenSSL's generator; aborts if the system has no entropy.
random_source system_random();

}  // namespace gate
