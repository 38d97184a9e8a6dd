#pragma once
/// Ledgers in a database of the tests' server.
#include <chrono>
#include <memory>
#include <string>

#include "tests/transport/postgres/server.hpp"
#include "tests/transport/support/ledger_storage.hpp"
#include "transport/postgres/database.hpp"

namespace gate::testing {

/// An instance whose clock is so far ahead.
std::unique_ptr<postgres::database> open_postgres(const std::string& url, ledger::id_source ids,
                                                  std::chrono::seconds ahead = {});

}  // namespace gate::testing
