/// What is kept long enough goes, in small steps; and how much there is.
#include <utility>

#include "transport/ledger/books.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/rules.hpp"

namespace gate::ledger {
namespace {

using rows::millis;
using rows::time_of;
using webhook::state;

struct old_delivery {
  std::int64_t number = 0;
  std::int64_t event = 0;
  state status = state::pending;
};

std::vector<old_delivery> old_deliveries(sqlite::query& q) {
  std::vector<old_delivery> out;
  while (q.row()) out.push_back({q.number(0), q.number(1), rows::state_of(q, 2)});
  return out;
}

/// With its attempts, and with its event if that has no other.
void remove_delivery(books& b, const old_delivery& d, cleaned& out) {
  sqlite::query(b.db, "DELETE FROM deliveries WHERE number = ?").with(d.number).done();
  b.count(d.status, -1);
  ++out.deliveries;
  sqlite::query(b.db,
                "DELETE FROM events WHERE number = ? "
                "AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = ?)")
      .with(d.event)
      .with(d.event)
      .done();
  out.events += static_cast<std::size_t>(b.db.changed());
}

/// What ended before; `room` says how many more may go.
void remove_finished(books& b, state s, wall_time before, cleaned& out) {
  const auto room = limits::ledger_step - out.deliveries;
  std::vector<old_delivery> all;
  {
    sqlite::query q(b.db,
                    "SELECT number, event, status FROM deliveries "
                    "WHERE status = ? AND finished < ? ORDER BY finished LIMIT ?");
    q.with(rows::number_of(s)).with(millis(before)).with(room);
    all = old_deliveries(q);
  }
  for (const auto& d : all) remove_delivery(b, d, out);
}

void remove_deleted(books& b, cleaned& out) {
  std::vector<old_delivery> all;
  {
    sqlite::query q(b.db,
                    "SELECT d.number, d.event, d.status FROM webhooks w "
                    "JOIN deliveries d ON d.webhook = w.number WHERE w.deleted = 1 LIMIT ?");
    q.with(limits::ledger_step - out.deliveries);
    all = old_deliveries(q);
  }
  for (const auto& d : all) remove_delivery(b, d, out);
  sqlite::query(b.db,
                "DELETE FROM webhooks WHERE deleted = 1 AND "
                "NOT EXISTS (SELECT 1 FROM deliveries WHERE webhook = webhooks.number)")
      .done();
}

/// Events that no webhook wanted are kept for those who send them again.
std::size_t remove_unwanted(books& b, wall_time before) {
  sqlite::query(b.db,
                "DELETE FROM events WHERE number IN (SELECT number FROM events "
                "WHERE deliveries = 0 AND accepted < ? LIMIT ?)")
      .with(millis(before))
      .with(limits::ledger_step)
      .done();
  return static_cast<std::size_t>(b.db.changed());
}

}  // namespace

answer perform(books& b, const delete_dead& r) {
  std::optional<old_delivery> found;
  {
    sqlite::query q(b.db,
                    "SELECT d.number, d.event, d.status FROM deliveries d "
                    "JOIN webhooks w ON w.number = d.webhook "
                    "JOIN organizations o ON o.number = d.organization "
                    "WHERE d.id = ? AND d.status = 4 AND o.name = ? AND w.deleted = 0");
    q.with(r.id).with(r.organization);
    if (q.row()) found = {q.number(0), q.number(1), rows::state_of(q, 2)};
  }
  if (!found) return rules::no_such("dead letter", r.id);
  cleaned gone;
  remove_delivery(b, *found, gone);
  return done{};
}

answer perform(books& b, const clean& r) {
  cleaned out;
  remove_deleted(b, out);
  remove_finished(b, state::succeeded, r.succeeded_before, out);
  remove_finished(b, state::dead, r.dead_before, out);
  const auto unwanted = remove_unwanted(b, r.succeeded_before);
  out.events += unwanted;
  out.more = out.deliveries == limits::ledger_step || unwanted == limits::ledger_step;
  return out;
}

answer perform(books& b, const count_all&) {
  counts out;
  {
    sqlite::query q(b.db, "SELECT status, deliveries FROM counts");
    while (q.row()) {
      const auto status = static_cast<std::size_t>(q.number(0));
      if (status < out.deliveries.size())
        out.deliveries[status] = static_cast<std::uint64_t>(q.number(1));
    }
  }
  sqlite::query q(b.db,
                  "SELECT count(*), min(CASE WHEN w.why_not = 0 THEN (SELECT min(d.due) "
                  "FROM deliveries d WHERE d.webhook = w.number AND d.due IS NOT NULL) END) "
                  "FROM webhooks w WHERE w.deleted = 0");
  if (!q.row()) return {};
  out.webhooks = static_cast<std::uint64_t>(q.number(0));
  out.oldest_due = time_of(q.maybe(1));
  return out;
}

}  // namespace gate::ledger
