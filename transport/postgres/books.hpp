#pragma once
/// LEDGER's operations in PostgreSQL, on one connection: as transport/ledger/books.hpp, beside
/// others who do the same in this process and in other instances. Belongs to a thread of
/// `database`.
///
/// Requests that write together are one transaction. Accepted events are one statement for all of
/// them, and so are notes of attempts; the others follow, one after the other. Rows are locked in
/// an order that all keep (events by organization and id, deliveries by number, webhooks by number,
/// the row that counts last), so that few are in each other's way; who is, comes again.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/ledger/ledger.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/rules.hpp"
#include "transport/postgres/clock.hpp"
#include "transport/postgres/libpq.hpp"

namespace gate::postgres {

using namespace ledger;  // NOLINT: these are its operations

/// A request and what is answered.
struct asked {
  const request* what = nullptr;
  answer said;
};
/// The same of one kind, out of a group.
template <class T>
struct asked_for {
  const T* what = nullptr;
  answer* said = nullptr;
};

/// What connections of a house have in common; it outlives them.
struct common {
  common(std::function<std::string()> ids, clock::wall wall)
      : new_id(std::move(ids)), time(std::move(wall)) {}
  const std::function<std::string()> new_id;  ///< by any thread at any time
  clock time;
};

class books {
 public:
  books(connection& on, common& of_house) : db(on), house(of_house) {}

  /// After the connection was made anew.
  void begin_anew(std::int64_t counted_in) {
    counted_in_ = counted_in;
    organizations_.clear();
  }
  /// One that only reads.
  std::optional<failure> read(asked& one);
  /// All in one transaction. Nothing: it is durable. Else none of it happened, unless it is `lost`
  /// and `committing()`: then that is unknown.
  std::optional<failure> write(std::span<asked> all);
  bool committing() const { return committing_; }

  /// Its number; nothing if there is none. Remembered: those that are committed are never removed.
  std::optional<std::int64_t> organization(const std::string& name);
  /// Those that are not there yet are made.
  std::vector<std::int64_t> organizations(const std::vector<std::string_view>& names);

  /// A delivery came into this state, or left it (-1).
  void count(webhook::state s, std::int64_t by) { moved_[static_cast<std::size_t>(s)] += by; }

  connection& db;
  common& house;

 private:
  void write_all(std::span<asked> all);
  void write_counts();

  std::int64_t counted_in_ = 0;
  bool committing_ = false;
  std::array<std::int64_t, 5> moved_{};
  std::map<std::string, std::int64_t, std::less<>> organizations_;
};

/// One that is not deleted; locked against changes if it is to be changed.
std::optional<rows::numbered_webhook> find_webhook(books& b, const std::string& organization,
                                                   const std::string& id, bool to_change = false);
/// Deliveries that are gone: with their attempts, and with events that have no others.
struct gone_delivery {
  std::int64_t number = 0, event = 0;
  webhook::state status = webhook::state::pending;
};
void remove_deliveries(books& b, const std::vector<gone_delivery>& all, cleaned& out);

// The operations themselves. If the connection has failed, what they give means nothing. Within a
// transaction nothing has been written if they refuse.
void accept_all(books& b, const std::vector<asked_for<accept_events>>& all);
void note_all(books& b, const std::vector<asked_for<note_attempt>>& all);
answer perform(books& b, const create_webhook& r);
answer perform(books& b, const read_webhook& r);
answer perform(books& b, const list_webhooks& r);
answer perform(books& b, const patch_webhook& r);
answer perform(books& b, const delete_webhook& r);
answer perform(books& b, const rotate_secret& r);
answer perform(books& b, const disable_webhook& r);
answer perform(books& b, const list_due& r);
answer perform(books& b, const take_due& r);
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

}  // namespace gate::postgres
