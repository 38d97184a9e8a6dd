#pragma once
/// Bounds of connections to upstreams and what comes over them, each with its reason; and what
/// happens at each, as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- HTTP, towards upstreams ---------------------------------------------------------------------
/// Header block of an upstream's answer.
inline constexpr std::size_t answer_header_bytes = 64 * 1024;
/// Connections to one origin from one unit; requests beyond wait in line.
/// (One session takes no more than three quarters, and no more than a quarter while others wait.)
inline constexpr std::size_t origin_connections = 1024;
/// Room that is made for an answer by its Content-Length, before any of it is there: a number must
/// not allocate gigabytes.
inline constexpr std::size_t answer_reserve_bytes = 1024 * 1024;
/// Addresses of one host that are tried, and how long one is waited for alone (RFC 8305).
inline constexpr std::size_t connect_addresses = 16;
inline constexpr milliseconds connect_stagger{250};
/// Resolved addresses are used this long before the resolver is asked again.
inline constexpr seconds address_time{30};
/// Older ones are used while it is asked, up to this age: a name server that is away for a while
/// must not take the upstreams along.
inline constexpr seconds address_most{3600};
/// After a lookup failed, old addresses are used this long without another.
inline constexpr seconds lookup_pause{1};
/// Threads at once. Each origin asks for one name at a time, so only a federation with as many dead
/// names as this makes others wait.
inline constexpr std::size_t lookup_threads = 16;
/// Ends of sessions (DELETE) that are told to one origin at a time, behind its calls; how many may
/// wait for that, and how long before they are given up: the server forgets its sessions by itself.
inline constexpr std::size_t origin_ends = 16;
inline constexpr std::size_t origin_ends_queue = 20'000;
inline constexpr seconds end_wait{60};
/// Streams of sessions (GET) that listen to one origin, beside those.
inline constexpr std::size_t origin_streams = 20'000;
/// Requests that may wait for a connection to one origin; more are refused as overload.
inline constexpr std::size_t origin_queue = 4096;
/// Idle connections kept per origin.
inline constexpr std::size_t origin_idle = 256;
/// Idle upstream connections are closed after this, or earlier if the server announced less.
inline constexpr seconds origin_idle_time{60};
/// Less than a server promised to keep a connection, so that its clock and ours (which is a second
/// coarse) can not meet.
inline constexpr seconds origin_idle_margin{2};
/// Redirects followed within one origin.
inline constexpr int redirects = 3;
/// Read of one answer before the other sockets of the unit get their turn.
inline constexpr std::size_t answer_turn_bytes = 256 * 1024;
/// Events of one answer's stream, sustained and at once: a program that reports its progress stays
/// far below; one that floods must not take the unit's thread from everybody. Beyond them the
/// answer is not read, until time has made up for it, and TCP stops the sender.
inline constexpr double stream_events_per_second = 1000;
inline constexpr double stream_events_at_once = 2000;
/// After so many events the calls of others have their turn: what they wait for a flood is the time
/// of one turn. And for so long: a call has several steps, and would else find a turn under way at
/// each.
inline constexpr std::size_t stream_turn_events = 4;
inline constexpr std::chrono::microseconds stream_turn_gap{250};
/// Lines and chunks are free as long as they carry this much on average; of those beyond, this many
/// cost what an event costs.
inline constexpr std::size_t stream_piece_bytes = 32;
inline constexpr double stream_pieces_per_event = 8;
/// Bytes of one answer, sustained; at once `maxResponseBytes`, so that no single event waits.
inline constexpr double stream_bytes_per_second = 64.0 * 1024 * 1024;

inline constexpr std::array of_origins{
    // clang-format off
    row{"answer_header_bytes", bytes(answer_header_bytes), "`-32041` (request failed)"},
    row{"origin_connections", origin_connections, "per origin and unit: further requests wait. Sessions take turns; each may have a quarter, and more as long as a quarter stays free"},
    row{"answer_reserve_bytes", bytes(answer_reserve_bytes), "by `Content-Length`: for the rest, room is made as it comes"},
    row{"connect_addresses", connect_addresses, "of one host: the others are not tried"},
    row{"connect_stagger", connect_stagger, "the next address is tried beside the last"},
    row{"address_time", address_time, "the resolver is asked again; the old addresses are used meanwhile"},
    row{"address_most", address_most, "older addresses are not used any more"},
    row{"lookup_pause", lookup_pause, "until a name that could not be resolved is looked up again"},
    row{"lookup_threads", lookup_threads, "further names wait"},
    row{"origin_ends", origin_ends, "DELETEs at a time per origin and unit, behind the calls that may begin; the others wait"},
    row{"origin_ends_queue", origin_ends_queue, "the server is left to forget the session by itself"},
    row{"end_wait", end_wait, "the same"},
    row{"origin_streams", origin_streams, "per origin and unit: a further stream is not opened, and tried again later"},
    row{"origin_queue", origin_queue, "per origin and unit: `-32041` (connect failed)"},
    row{"origin_idle", origin_idle, "per origin and unit: a further one is closed"},
    row{"origin_idle_time", origin_idle_time, "closes, or earlier if the server announced less"},
    row{"origin_idle_margin", origin_idle_margin, "before the time that the server announced, closes"},
    row{"redirects", redirects, "`-32041` (request failed)"},
    row{"answer_turn_bytes", bytes(answer_turn_bytes), "other sockets of the unit have their turn"},
    row{"stream_events_per_second", stream_events_per_second, "of one stream: it is not read until time has made up for it"},
    row{"stream_events_at_once", stream_events_at_once, "the same"},
    row{"stream_turn_events", stream_turn_events, "of one stream: others have their turn"},
    row{"stream_turn_gap", stream_turn_gap, "for so long"},
    row{"stream_piece_bytes", bytes(stream_piece_bytes), "lines and chunks that carry less on average are counted"},
    row{"stream_pieces_per_event", stream_pieces_per_event, "so many of these count as an event"},
    row{"stream_bytes_per_second", bytes(stream_bytes_per_second), "of one stream, after `maxResponseBytes` at once: it is not read until time has made up for it"},
    // clang-format on
};

}  // namespace gate::limits
