#pragma once
/// The tables in PostgreSQL, in the schema `gate_hooks`, made in numbered steps as those of the
/// SQLite file (transport/ledger/schema.hpp), whose names they have: each step is one transaction
/// that writes its number. Instances that start at the same time take turns, by an advisory lock.
/// A database of a later version than the program's is refused.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/postgres/libpq.hpp"

namespace gate::postgres {

/// The SQL of the steps, in order; the first makes version 1.
std::span<const char* const> schema_steps();

/// Brings the tables to the latest version of `steps`; why not, if not: then they are as they were,
/// or at the version of the last step that worked. `now` is written down, in milliseconds.
std::optional<failure> migrate(connection& db, std::span<const char* const> steps,
                               std::int64_t now);

/// Why the tables are not to be used: another program's, not there, of another version than
/// `latest`. Asked for each new connection.
std::optional<failure> unusable(connection& db, std::size_t latest);

}  // namespace gate::postgres
