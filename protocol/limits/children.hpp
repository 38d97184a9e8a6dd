#pragma once
/// Bounds of the shim and its children, each with its reason; and what happens at each, as
/// docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- the shim ------------------------------------------------------------------------------------
/// Sessions that one shim may be allowed to have; each is processes of its own.
inline constexpr std::size_t shim_sessions_most = 10'000;
/// The largest body of a request that one shim may be told to take: it is held in memory while it
/// is read.
inline constexpr std::size_t shim_body_bytes_most = std::size_t{1} << 30U;
/// A message of a child: a line of its standard output. Longer ones are dropped; with images in
/// them results are large.
inline constexpr std::size_t child_line_bytes = 16 * 1024 * 1024;
/// What the log shows of a line that is no message.
inline constexpr std::size_t child_shown_bytes = 200;
/// So often is a slow client looked at; and whether one is slow, after so many bytes of lines.
inline constexpr milliseconds shim_slow_pause{10};
inline constexpr std::size_t shim_slow_bytes = 64 * 1024;
/// Proxies cut streams that are silent for long.
inline constexpr seconds shim_keep_alive{15};
/// Streams that were replaced, and have yet much to take.
inline constexpr std::size_t shim_leaving = 16;
/// Bytes that wait for a child to read its standard input, before further messages are refused.
inline constexpr std::size_t child_input_bytes = 4 * 1024 * 1024;
/// A line of a child's standard error as it is logged; what is beyond is cut off.
inline constexpr std::size_t child_complaint_bytes = 2048;
/// Lines of one child's standard error that are logged a second, sustained and at once.
inline constexpr double child_complaints_per_second = 20;
inline constexpr double child_complaints_at_once = 100;
/// Of a child that complains faster than that, so much of its standard error is read and counted
/// before it is left alone for this long.
inline constexpr std::size_t child_complaint_flood = 4 * 1024 * 1024;
inline constexpr milliseconds child_complaint_pause{50};
/// A child has so long to answer `initialize`: `npx` may have to fetch the server first, and begins
/// anew when it is killed.
inline constexpr seconds child_initialize{180};
/// Whoever asks `/health` waits so long for that; then it is `starting`.
inline constexpr seconds child_health{10};
/// A session that saw nothing for this long ends, and its child with it.
inline constexpr seconds child_idle{300};
/// Between closing a child's standard input and SIGTERM, and between that and SIGKILL.
inline constexpr seconds child_patience{5};
/// What a child that has ended had said is read for this long, if something keeps its output open.
inline constexpr seconds child_last_words{1};
/// Processes of one child that are looked for in one pass; more are found in the next.
inline constexpr std::size_t child_processes = 100'000;
/// Passes in which they are stopped before they are killed: what forks faster than it is found is
/// killed all the same.
inline constexpr int child_stopping_passes = 50;
/// Descriptors of the shim that KEEPER closes one by one, where the kernel can not close a range.
inline constexpr int child_inherited = 65'536;

inline constexpr std::array of_children{
    // clang-format off
    row{"shim_sessions_most", shim_sessions_most, "`--max-sessions` takes no more"},
    row{"shim_body_bytes_most", bytes(shim_body_bytes_most), "`--max-body-bytes` takes no more"},
    row{"child_line_bytes", bytes(child_line_bytes), "the message is dropped, and logged"},
    row{"child_shown_bytes", bytes(child_shown_bytes), "cut off"},
    row{"shim_slow_pause", shim_slow_pause, "until a slow client is looked at again"},
    row{"shim_slow_bytes", bytes(shim_slow_bytes), "of lines, then it is looked whether a client is slow"},
    row{"shim_keep_alive", shim_keep_alive, "a comment is sent on a silent stream"},
    row{"shim_leaving", shim_leaving, "of one session: a further stream is refused, 503 with `Retry-After`"},
    row{"child_input_bytes", bytes(child_input_bytes), "further messages are refused"},
    row{"child_complaint_bytes", bytes(child_complaint_bytes), "cut off"},
    row{"child_complaints_per_second", child_complaints_per_second, "further lines are counted only"},
    row{"child_complaints_at_once", child_complaints_at_once, "the same"},
    row{"child_complaint_flood", bytes(child_complaint_flood), "is read and counted, then the child is left alone"},
    row{"child_complaint_pause", child_complaint_pause, "for so long"},
    row{"child_initialize", child_initialize, "the child has failed, and its session ends"},
    row{"child_health", child_health, "`/health` is 503: `starting`"},
    row{"child_idle", child_idle, "the session ends, and its child with it"},
    row{"child_patience", child_patience, "then SIGTERM, and after the same again SIGKILL"},
    row{"child_last_words", child_last_words, "what still keeps the output open is not waited for"},
    row{"child_processes", child_processes, "the others are found in the next pass"},
    row{"child_stopping_passes", child_stopping_passes, "processes that go on appearing are killed as they are found"},
    row{"child_inherited", child_inherited, "without `close_range` of the kernel: higher descriptors of the shim stay open in KEEPER"},
    // clang-format on
};

}  // namespace gate::limits
