#pragma once
/// Bounds of recordings, each with its reason; and what happens at each, as docs/operations.md has
/// it.
#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

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
/// What a recording may have without --record-limit, and the least that this may be.
inline constexpr std::uint64_t recording_bytes = 1024 * 1024 * 1024;
inline constexpr std::uint64_t recording_least_bytes = 64 * 1024;

inline constexpr std::array of_recordings{
    row{"shortest value that is looked for wherever it stands", bytes(known_secret_bytes),
        "shorter ones are secret by their place only"},
    row{"secret values that are looked for, in each unit", known_secrets,
        "the older half is forgotten; they are secret by their place only"},
    row{"headers and stand-ins that are remembered, in each unit", recording_memo,
        "all are forgotten and made again"},
    row{"JSON in strings of JSON", redaction_depth, "is not looked into"},
    row{"lines that wait to be written", bytes(recording_queue_bytes),
        "the recording ends with `gap`; the gateway goes on"},
    row{"a recording, without `--record-limit`", bytes(recording_bytes),
        "it ends with `limit`; the gateway goes on"},
    row{"least `--record-limit`", bytes(recording_least_bytes), "less is refused"},
};

}  // namespace gate::limits
