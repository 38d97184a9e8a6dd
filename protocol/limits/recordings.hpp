#pragma once
/// Bounds of recordings, each with its reason; and what happens at each, as docs/operations.md has
/// it.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Shorter values are too likely to stand somewhere by chance; they are secret by their place only.
inline constexpr std::size_t known_secret_bytes = 8;
/// Secret values that each unit looks for wherever they stand: those that were learned first go.
inline constexpr std::size_t known_secrets = 4096;
/// What is remembered of texts that come again and again: headers, stand-ins.
inline constexpr std::size_t recording_memo = 512;
/// JSON in strings of JSON is looked into so deep.
inline constexpr std::size_t redaction_depth = 4;
/// Lines that wait for the thread that writes them: beyond, the recording ends.
inline constexpr std::size_t recording_queue_bytes = 64 * 1024 * 1024;
/// So long lines are gathered before they are written, as far as there are not so many of them
/// sooner: a thread that wakes often takes the processor from the units, whose calls pay for that.
inline constexpr milliseconds recording_gather{50};
inline constexpr std::size_t recording_block_bytes = 256 * 1024;
/// When the gateway ends, the last audit events of all units have so long together to be written.
inline constexpr seconds recording_flush{3};
/// What a recording may have without --record-limit, and the least that this may be.
inline constexpr std::size_t recording_bytes = 1024 * 1024 * 1024;
inline constexpr std::size_t recording_least_bytes = 64 * 1024;

inline constexpr std::array of_recordings{
    row{"known_secret_bytes", bytes(known_secret_bytes),
        "a shorter secret is secret by its place only, not wherever it stands"},
    row{"known_secrets", known_secrets,
        "of the secrets that a unit looks for, the older half is forgotten: they are secret by "
        "their place only"},
    row{"recording_memo", recording_memo,
        "of headers and stand-ins that a unit remembers, all are forgotten and made again"},
    row{"redaction_depth", redaction_depth, "JSON in strings of JSON is looked into no deeper"},
    row{"recording_queue_bytes", bytes(recording_queue_bytes),
        "of lines that wait to be written: the recording ends with `gap`; the gateway goes on"},
    row{"recording_gather", recording_gather,
        "lines of a recording are written, also if they are few: a gateway that is killed loses "
        "those"},
    row{"recording_block_bytes", bytes(recording_block_bytes),
        "of lines are written at once, also sooner"},
    row{"recording_flush", recording_flush,
        "the recording ends without the audit events that have not been written then"},
    row{"recording_bytes", bytes(recording_bytes),
        "without `--record-limit`: the recording ends with `limit`; the gateway goes on"},
    row{"recording_least_bytes", bytes(recording_least_bytes), "`--record-limit` takes no less"},
};

}  // namespace gate::limits
