#pragma once
/// Bounds of what `gate-hooks` keeps on disk and of those who ask for it, each with its reason; and
/// what happens at each.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/row.hpp"
#include "protocol/limits/webhooks.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Nobody else writes to the file, but for a person with a tool: it is waited for.
inline constexpr milliseconds ledger_busy{2000};
/// Requests that wait for the disk, and what they have to say: who asks then is told to come again.
inline constexpr std::size_t ledger_queue = 10'000;
inline constexpr std::size_t ledger_queue_bytes = 32 * 1024 * 1024;
/// Those that write and wait together share one commit: so many, and so much of what they say, so
/// that none waits long for the others.
inline constexpr std::size_t ledger_group = 512;
inline constexpr std::size_t ledger_group_bytes = 8 * 1024 * 1024;
/// Events of one request, all of them accepted or none.
inline constexpr std::size_t ledger_events = webhook_batch;
/// Webhooks of one organization: each event may become a delivery of each.
inline constexpr std::size_t ledger_webhooks = 100;
/// Deliveries of one webhook that are taken at a time, each with its body.
inline constexpr std::size_t ledger_taken = 64;
/// No lease is longer: one that seems to be is of a clock that was set back since.
inline constexpr seconds ledger_lease{600};
/// Attempts that are remembered of one delivery, the latest ones.
inline constexpr std::size_t ledger_attempts = 32;
/// Rows of a page, and rows that one page looks at to find those that are wanted.
inline constexpr std::size_t ledger_page = webhook_page_most;
inline constexpr std::size_t ledger_looked_at = 10'000;
/// Rows that one step of cleaning up, of releasing or of trying again changes: others wait for it.
inline constexpr std::size_t ledger_step = 1000;
/// Of the file, in memory.
inline constexpr std::size_t ledger_cache_bytes = 8 * 1024 * 1024;
/// What the log of changes may keep of the disk once it was moved into the file.
inline constexpr std::size_t ledger_wal_bytes = 64 * 1024 * 1024;

/// Connections of one instance to PostgreSQL, each with a thread: what one waits for the disk, the
/// others read; and a hundred, which a server has, are enough for a fleet.
inline constexpr std::size_t ledger_connections = 4;
/// A connection is made, with the look-up of its name's addresses; one statement is done; one is
/// answered, or the way to the server is broken.
inline constexpr milliseconds ledger_connect{5000};
inline constexpr milliseconds ledger_statement{10'000};
inline constexpr milliseconds ledger_answer{15'000};
/// Tables are made or changed: rows of a large one may be written anew.
inline constexpr seconds ledger_migration{600};
/// Between attempts to connect; each is twice the one before.
inline constexpr milliseconds ledger_pause{100};
inline constexpr milliseconds ledger_pause_most{5000};
/// Of a group that others were in the way of: they have ended by then.
inline constexpr std::size_t ledger_tries = 5;
/// At the end, for what waits. Less than a supervisor of processes waits before it kills.
inline constexpr milliseconds ledger_end{10'000};
/// Between looks at how far this clock is from the database's.
inline constexpr seconds ledger_clock{10};
/// The clocks agree: the way there takes time, and clocks that the network keeps are nearer.
inline constexpr milliseconds ledger_clocks_agree{500};
/// Nothing was said on a connection: it is asked whether it still is one, twice.
inline constexpr seconds ledger_keepalive{10};
/// Rows that share the counting of deliveries: of as many connections none waits for another.
inline constexpr std::size_t ledger_counts = 64;
/// Numbers of organizations that a connection remembers, so as not to ask for each event.
inline constexpr std::size_t ledger_organizations = 10'000;
/// The address of a database, as it is written.
inline constexpr std::size_t ledger_address = 4096;

inline constexpr std::array of_ledger{
    // clang-format off
    row{"ledger_busy", ledger_busy, "of another program that writes to the file: what waits fails"},
    row{"ledger_queue", ledger_queue, "503 with `Retry-After`"},
    row{"ledger_queue_bytes", bytes(ledger_queue_bytes), "the same"},
    row{"ledger_group", ledger_group, "requests that write: the next ones are a commit of their own"},
    row{"ledger_group_bytes", bytes(ledger_group_bytes), "the same"},
    row{"ledger_events", ledger_events, "of one request: it is refused"},
    row{"ledger_webhooks", ledger_webhooks, "of one organization: 409 for the next"},
    row{"ledger_taken", ledger_taken, "of one webhook at a time: the next ones are taken later"},
    row{"ledger_lease", ledger_lease, "a lease that ends later is over"},
    row{"ledger_attempts", ledger_attempts, "of one delivery: the oldest is forgotten"},
    row{"ledger_page", ledger_page, "a page ends, with a cursor"},
    row{"ledger_looked_at", ledger_looked_at, "a page ends, with a cursor, though it may have few rows or none"},
    row{"ledger_step", ledger_step, "rows: the rest is left to the next step"},
    row{"ledger_cache_bytes", bytes(ledger_cache_bytes), "of the file: read again from the disk"},
    row{"ledger_wal_bytes", bytes(ledger_wal_bytes), "beside the file: cut off once it has been moved into it"},
    row{"ledger_connections", ledger_connections, "to PostgreSQL: what comes then waits in the queue"},
    row{"ledger_connect", ledger_connect, "to PostgreSQL: it is away, 503"},
    row{"ledger_statement", ledger_statement, "of PostgreSQL: it is cancelled, 503"},
    row{"ledger_answer", ledger_answer, "of PostgreSQL: the connection is closed, 503"},
    row{"ledger_migration", ledger_migration, "of tables in PostgreSQL: the start fails"},
    row{"ledger_pause", ledger_pause, "before PostgreSQL is connected to again, at first"},
    row{"ledger_pause_most", ledger_pause_most, "the same, at most"},
    row{"ledger_tries", ledger_tries, "in PostgreSQL, when others are in the way: 503"},
    row{"ledger_end", ledger_end, "what waits for PostgreSQL at the end is refused"},
    row{"ledger_clock", ledger_clock, "how far the clock is from PostgreSQL's is looked at again"},
    row{"ledger_clocks_agree", ledger_clocks_agree, "further from PostgreSQL's: ends of leases are corrected"},
    row{"ledger_keepalive", ledger_keepalive, "without a word of PostgreSQL: it is asked whether the connection still is one"},
    row{"ledger_counts", ledger_counts, "rows in PostgreSQL: connections share one"},
    row{"ledger_organizations", ledger_organizations, "of one connection to PostgreSQL: all are forgotten, and asked for again"},
    row{"ledger_address", bytes(ledger_address), "of a database's address: the start fails"},
    // clang-format on
};

}  // namespace gate::limits
