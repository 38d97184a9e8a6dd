#pragma once
/// Bounds of what is read of a recording, each with its reason; and what happens at each, as
/// docs/operations.md has it. A recording may come from anywhere.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::seconds;

/// A body of 64 MiB takes 86 MiB in base64; as text with escapes it may take more.
inline constexpr std::size_t playback_line_bytes = 192 * 1024 * 1024;
/// Requests, or fetches, of one unit: each takes some 40 bytes. At 1,000 calls a second these are
/// two hours.
inline constexpr std::size_t playback_numbers = 8'000'000;
/// Header lines of one message: INGRESS and EGRESS take fewer.
inline constexpr std::size_t playback_header_lines = 1024;
/// Header lines that are read once however often they come: of so many messages, each so long in
/// its line.
inline constexpr std::size_t playback_memo = 512;
inline constexpr std::size_t playback_memo_bytes = 4096;
/// Events of one `streamed`: what came in one piece.
inline constexpr std::size_t playback_events = 100'000;
/// Of an event, since its recording began: sums of times are far from any overflow then.
inline constexpr seconds playback_time{10'000L * 24 * 3600};
/// What is quoted of a line that is wrong.
inline constexpr std::size_t playback_quote_bytes = 60;

inline constexpr std::array of_playback{
    // clang-format off
    row{"playback_line_bytes", bytes(playback_line_bytes), "`gate-sim` refuses the recording"},
    row{"playback_numbers", playback_numbers, "the same"},
    row{"playback_header_lines", playback_header_lines, "the same"},
    row{"playback_memo", playback_memo, "all are forgotten and read again"},
    row{"playback_memo_bytes", bytes(playback_memo_bytes), "longer ones are read each time"},
    row{"playback_events", playback_events, "the same"},
    row{"playback_time", playback_time, "the same"},
    row{"playback_quote_bytes", bytes(playback_quote_bytes), "the rest is left out of the message"},
    // clang-format on
};

}  // namespace gate::limits
