#pragma once
/// What the actors may not take from the environment themselves: the wall clock, randomness, and
/// secrets. Handed in at spawn; tests hand in constants and seeded generators. (Monotonic time is
/// the actor clock's.)
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gate {

/// `std::chrono::steady_clock::now`, or what a test has in its place.
using monotonic_clock = std::chrono::steady_clock::time_point (*)();
using wall_clock = std::function<std::chrono::system_clock::time_point()>;
/// Fills the span with random bytes.
using random_source = std::function<void(std::span<std::uint8_t>)>;
/// The secret of this name (an environment variable); nothing if there is none, or an empty one.
/// Asked when it is used, so that nothing keeps secrets.
using secret_source = std::function<std::optional<std::string>(std::string_view)>;

wall_clock system_wall_clock();
/// The kernel's generator; aborts if it gives nothing.
random_source system_random();

}  // namespace gate
