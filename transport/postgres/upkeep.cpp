/// What is kept long enough goes, in small steps; and how much there is. Whoever removes a row that
/// others refer to locks it first, and looks then whether anybody does: of two who remove the last
/// two deliveries of an event, the later one sees that.
#include <algorithm>
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;
using rows::number_of;
using rows::time_of;
using webhook::state;

std::vector<gone_delivery> going(query& q) {
  std::vector<gone_delivery> out;
  while (q.row()) out.push_back({q.number(0), q.number(1), rows::state_of(q, 2)});
  return out;
}

void remove_finished(books& b, state s, wall_time before, cleaned& out) {
  query q(b.db,
          "SELECT number, event, status FROM deliveries WHERE status = ? AND finished < ? "
          "ORDER BY finished LIMIT ? FOR UPDATE SKIP LOCKED");
  q.with(number_of(s)).with(millis(before)).with(limits::ledger_step - out.deliveries);
  remove_deliveries(b, going(q), out);
}

void remove_deleted(books& b, cleaned& out) {
  {
    query q(b.db,
            "SELECT d.number, d.event, d.status FROM webhooks w CROSS JOIN LATERAL "
            "(SELECT number, event, status FROM deliveries WHERE webhook = w.number "
            "ORDER BY number LIMIT ? FOR UPDATE SKIP LOCKED) d WHERE w.deleted = 1 LIMIT ?");
    q.with(limits::ledger_step).with(limits::ledger_step - out.deliveries);
    remove_deliveries(b, going(q), out);
  }
  // Those who accept events for one have locked it.
  std::vector<std::int64_t> empty;
  query q(b.db,
          "SELECT number FROM webhooks WHERE deleted = 1 ORDER BY number LIMIT ? "
          "FOR UPDATE SKIP LOCKED");
  q.with(limits::ledger_step);
  while (q.row()) empty.push_back(q.number(0));
  if (empty.empty()) return;
  query(b.db,
        "DELETE FROM webhooks w WHERE w.number = ANY(?) AND "
        "NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook = w.number)")
      .with_all(empty)
      .done();
}

/// Events that no webhook wanted are kept for those who send them again.
std::size_t remove_unwanted(books& b, wall_time before) {
  query q(b.db,
          "DELETE FROM events WHERE number IN (SELECT number FROM events WHERE deliveries = 0 "
          "AND accepted < ? ORDER BY accepted LIMIT ? FOR UPDATE SKIP LOCKED)");
  q.with(millis(before)).with(limits::ledger_step);
  return static_cast<std::size_t>(q.changed());
}

}  // namespace

void remove_deliveries(books& b, const std::vector<gone_delivery>& all, cleaned& out) {
  if (all.empty() || b.db.failed()) return;
  std::vector<std::int64_t> numbers, events;
  for (const auto& d : all) {
    numbers.push_back(d.number);
    events.push_back(d.event);
    b.count(d.status, -1);
  }
  out.deliveries += all.size();
  query(b.db, "DELETE FROM attempts WHERE delivery = ANY(?)").with_all(numbers).done();
  query(b.db, "DELETE FROM deliveries WHERE number = ANY(?)").with_all(numbers).done();
  query(b.db, "SELECT number FROM events WHERE number = ANY(?) ORDER BY number FOR UPDATE")
      .with_all(events)
      .done();
  query q(b.db,
          "DELETE FROM events e WHERE e.number = ANY(?) AND "
          "NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.number)");
  q.with_all(events);
  out.events += static_cast<std::size_t>(q.changed());
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
    query q(b.db,
            "SELECT coalesce(sum(pending), 0)::BIGINT, coalesce(sum(delivering), 0)::BIGINT, "
            "coalesce(sum(succeeded), 0)::BIGINT, coalesce(sum(failed), 0)::BIGINT, "
            "coalesce(sum(dead), 0)::BIGINT FROM counts");
    if (!q.row()) return out;
    for (std::size_t s = 0; s < out.deliveries.size(); ++s)
      out.deliveries[s] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, q.number(static_cast<int>(s))));
  }
  query q(b.db,
          "SELECT count(*), min(first.due) FROM webhooks w LEFT JOIN LATERAL "
          "(SELECT d.due FROM deliveries d WHERE d.webhook = w.number AND d.due IS NOT NULL "
          "AND w.why_not = 0 ORDER BY d.due LIMIT 1) first ON true WHERE w.deleted = 0");
  if (!q.row()) return out;
  out.webhooks = static_cast<std::uint64_t>(q.number(0));
  out.oldest_due = time_of(q.maybe(1));
  return out;
}

}  // namespace gate::postgres
