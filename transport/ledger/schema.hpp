#pragma once
/// The tables of the SQLite file, made in numbered steps, and what makes a file ours.
///
/// Each step is one transaction that writes its number, so a file is always at one version. A step
/// that was released is never changed: what comes later is a further step. Files of a later version
/// than the program's are refused, since it would not know what it destroys.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "transport/ledger/sqlite.hpp"

namespace gate::ledger {

/// The SQL of the steps, in order; the first makes version 1.
std::span<const char* const> schema_steps();

/// Why the file is not to be touched: another program's, damaged, or later than `latest`. Reads
/// only.
std::optional<std::string> unusable(sqlite::connection& db, std::size_t latest);

/// Brings the file to the latest version of `steps`; a sentence if it can not be, or is not ours.
/// Then it is as it was, or at the version of the last step that worked. `now` is written down, in
/// milliseconds.
std::optional<std::string> migrate(sqlite::connection& db, std::span<const char* const> steps,
                                   std::int64_t now);

}  // namespace gate::ledger
