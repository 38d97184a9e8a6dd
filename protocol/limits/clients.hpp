#pragma once
/// Bounds of what clients may send, take and keep waiting, each with its reason; and what happens
/// at each, as docs/operations.md has it.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// --- HTTP, our listener --------------------------------------------------------------------------
/// Header block of a request: long bearer tokens fit, floods do not.
inline constexpr std::size_t header_bytes = 64 * 1024;
/// Its lines, without the request line. Each is listed, which takes eight times what the shortest
/// do themselves; clients send ten, and what stands between adds some.
inline constexpr std::size_t header_lines = 128;
/// A connection keeps its last header, idle or not, to recognise the next by it: if it is no longer
/// than this, and has no more lines. (20,000 connections keep 100 MiB at the most.)
inline constexpr std::size_t known_header_bytes = 4096;
inline constexpr std::size_t known_header_lines = 32;
/// And a unit keeps so many of its requests of late, for those whose callers take turns on the
/// connections of a proxy. (1.3 MiB at the most.)
inline constexpr std::size_t known_heads = 256;
/// A client that dribbles its header or body is cut off (slow loris).
inline constexpr seconds header_read{10};
inline constexpr seconds body_read{30};
/// A connection that ends is read on for so long, lest the client loses the answer by a reset; and
/// until then for as long as the body that was announced, and not read, may take; if it was held
/// back (`Expect`), only once its client has begun to send it.
inline constexpr seconds linger{2};
/// A body that is longer than this, or held back (`Expect`), is read only once its header has
/// passed Host and token. Shorter ones come in one piece with their header as a rule: there is
/// nothing to save then, and judging them first would cost every call two messages.
inline constexpr std::size_t body_unjudged = 64 * 1024;
/// The judgement may wait for a key set (10 s). Beyond this nobody judges.
inline constexpr seconds header_judged{30};
/// Idle keep-alive connections are closed after this.
inline constexpr seconds keep_alive_idle{120};
/// Open client connections of one unit; fewer where the limit of open files is lower, of which so
/// many are left for upstreams, the event loop and files (but never more than half). When it is
/// full, who never brought a request that was accepted goes for the next, or who was idle for so
/// long; if there is nobody, the next is refused.
inline constexpr std::size_t client_connections = 20'000;
inline constexpr std::size_t other_descriptors = 2048;
inline constexpr seconds idle_yields{10};
/// Of fewer client connections than this the operator is warned.
inline constexpr std::size_t few_connections = 1000;
/// Bodies of requests that one unit has read in part; half of it for connections that never brought
/// a request that was accepted.
inline constexpr std::size_t bodies_total = 128 * 1024 * 1024;
/// What waits in one unit for clients to take it, of answers and streams: beyond it, who has kept
/// most waiting for longest is cut off.
inline constexpr std::size_t waiting_total = 256 * 1024 * 1024;
/// One turn of a unit, before its other sockets are looked at.
inline constexpr std::chrono::microseconds unit_turn{500};
/// Bytes queued towards one slow client before its stream is closed.
inline constexpr std::size_t client_queue_bytes = 4 * 1024 * 1024;
/// A client that stops reading while bytes wait for it is cut off; so is one that takes less than
/// this part of them, or than so much for each second.
inline constexpr seconds write_stall{30};
inline constexpr std::size_t write_stall_bytes = 1024;
inline constexpr std::size_t write_stall_share = 8;
/// Bytes that a client may send ahead of the answer it waits for.
inline constexpr std::size_t ahead_bytes = 256 * 1024;
/// When the process has run out of descriptors, accepting again at once would only spin.
inline constexpr milliseconds accept_pause{100};
/// What happens again sooner is the same trouble, and logged once.
inline constexpr seconds same_trouble{60};

inline constexpr std::array of_clients{
    // clang-format off
    row{"header_bytes", bytes(header_bytes), "400, closes"},
    row{"header_lines", header_lines, "400, closes"},
    row{"known_header_bytes", bytes(known_header_bytes), "a longer header is read anew each time"},
    row{"known_header_lines", known_header_lines, "the same"},
    row{"known_heads", known_heads, "a header that was not seen for long makes room"},
    row{"header_read", header_read, "408, closes"},
    row{"body_read", body_read, "408, closes; a body that is refused by its header is thrown away for no longer than this"},
    row{"linger", linger, "closes: longer than the rest of the body takes nobody is read on"},
    row{"body_unjudged", bytes(body_unjudged), "a longer body is read only once its header has passed Host and token"},
    row{"header_judged", header_judged, "503"},
    row{"keep_alive_idle", keep_alive_idle, "closes"},
    row{"client_connections", client_connections, "per unit, or what the limit of open files leaves. The one goes that has waited longest without ever having sent a POST that was accepted, else the one that has been idle longest; else the next is refused"},
    row{"other_descriptors", other_descriptors, "per unit, but never more than half of the limit of open files: set aside for upstreams and files"},
    row{"idle_yields", idle_yields, "one that has been idle for less does not give way to others"},
    row{"few_connections", few_connections, "of fewer that the limit of open files leaves, the log warns at boot"},
    row{"bodies_total", bytes(bodies_total), "per unit, or eight of the largest; half of it for connections whose requests were never accepted. Those are refused that have sent most for longest, until an eighth is free again: first of the connections that were never accepted, if they have more than their half, else of the others. 503 with `Retry-After`"},
    row{"waiting_total", bytes(waiting_total), "per unit, or twice the most that has waited for one client: who has kept most waiting for longest is cut off"},
    row{"unit_turn", unit_turn, "other sockets are looked at; of what a client has sent ahead, after each request"},
    row{"client_queue_bytes", bytes(client_queue_bytes), "the stream is closed"},
    row{"write_stall", write_stall, "while bytes wait: cut off after this without having taken enough"},
    row{"write_stall_bytes", bytes(write_stall_bytes), "for each second of it: what is enough"},
    row{"write_stall_share", write_stall_share, "and this part of them (an eighth)"},
    row{"ahead_bytes", bytes(ahead_bytes), "is not read until answers have gone out"},
    row{"accept_pause", accept_pause, "between attempts to accept when there are no descriptors"},
    row{"same_trouble", same_trouble, "trouble that comes back sooner is not logged again"},
    // clang-format on
};

}  // namespace gate::limits
