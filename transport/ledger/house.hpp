#pragma once
/// Whatever keeps what LEDGER is asked for: a SQLite file (writer.hpp), or PostgreSQL
/// (transport/postgres/database.hpp). Made at boot; asked by `doors::ledger_actor`.
#include <cstdint>
#include <functional>
#include <string>

#include "transport/ledger/ledger.hpp"

namespace gate::ledger {

class house {
 public:
  /// Runs on a thread of the house's; throws nothing and does not wait.
  using callback = std::function<void(answer)>;

  house() = default;
  /// What was accepted is answered before.
  virtual ~house() = default;
  house(const house&) = delete;
  house& operator=(const house&) = delete;

  /// Any thread. False: too many wait already (`limits::ledger_queue`), and nothing happens. Never
  /// waits for the storage.
  virtual bool ask(request what, callback then) = 0;
  /// Commits so far. Any thread.
  virtual std::uint64_t commits() const = 0;
};

/// `dlv_` and a ULID, a new one each time. Called on a thread of the house's, by one at a time.
using id_source = std::function<std::string()>;

}  // namespace gate::ledger
