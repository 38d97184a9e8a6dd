#pragma once
/// LEDGER's operations on a SQLite file: one at a time, each as a whole or not at all. Belongs to
/// `writer`, and runs on its thread.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "transport/ledger/house.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/sqlite.hpp"

namespace gate::ledger {

/// What the operations share.
class books {
 public:
  books(sqlite::connection& on, id_source ids) : db(on), new_id(std::move(ids)) {}

  /// A request that only reads; not within a transaction.
  answer read(const request& r);
  /// One that may write, within a transaction. If it is refused, or fails, nothing of it stays.
  answer write(const request& r);

  sqlite::connection& db;
  const id_source new_id;

  /// A delivery came into this state, or left it (-1).
  void count(webhook::state s, std::int64_t by) { moved_[static_cast<std::size_t>(s)] += by; }

 private:
  void write_counts();

  std::array<std::int64_t, 5> moved_{};
};

/// One that is not deleted.
std::optional<rows::numbered_webhook> find_webhook(books& b, const std::string& organization,
                                                   const std::string& id);

// The operations themselves. If the connection has failed, what they give means nothing.
answer perform(books& b, const accept_events& r);
answer perform(books& b, const create_webhook& r);
answer perform(books& b, const read_webhook& r);
answer perform(books& b, const list_webhooks& r);
answer perform(books& b, const patch_webhook& r);
answer perform(books& b, const delete_webhook& r);
answer perform(books& b, const rotate_secret& r);
answer perform(books& b, const disable_webhook& r);
answer perform(books& b, const list_due& r);
answer perform(books& b, const take_due& r);
answer perform(books& b, const note_attempt& r);
answer perform(books& b, const give_back& r);
answer perform(books& b, const release_leases& r);
answer perform(books& b, const list_deliveries& r);
answer perform(books& b, const read_delivery& r);
answer perform(books& b, const retry_delivery& r);
answer perform(books& b, const list_dead& r);
answer perform(books& b, const dead_stats& r);
answer perform(books& b, const retry_dead& r);
answer perform(books& b, const delete_dead& r);
answer perform(books& b, const clean& r);
answer perform(books& b, const count_all& r);

}  // namespace gate::ledger
