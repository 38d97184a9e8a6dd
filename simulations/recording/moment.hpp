#pragma once
/// Moments of a recording on the wall clock. Pure.
#include <cstdint>
#include <string>
#include <string_view>

namespace gate::recording {

/// `at` µs later than `started` (RFC 3339, UTC, as the first line has it), with microseconds:
/// `2026-11-28T06:00:00.000001Z`. Empty if `started` is no such time.
std::string later(std::string_view started, std::uint64_t at);

}  // namespace gate::recording
