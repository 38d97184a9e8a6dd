/// Deliveries that are due: who has them. Others look for the same at the same time, so whoever
/// takes or releases some passes over those that somebody else is at.
#include <algorithm>
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;
using rows::time_of;
using webhook::state;

/// For deliveries that `which` chooses and locks: they are due again, as if nobody had taken them.
std::string release_sql(const char* which) {
  return "WITH mine AS (SELECT d.number FROM deliveries d WHERE d.lease_until IS NOT NULL AND " +
         std::string(which) +
         "), given AS (UPDATE deliveries d SET status = CASE WHEN d.attempts > 0 THEN 3 ELSE 0 "
         "END, "
         "due = ?, lease = NULL, lease_until = NULL FROM mine WHERE d.number = mine.number "
         "RETURNING d.number, d.attempts, d.webhook) "
         "SELECT given.attempts, w.id FROM given JOIN webhooks w ON w.number = given.webhook "
         "ORDER BY given.number";
}

released released_by(books& b, query& q) {
  released out;
  while (q.row()) {
    b.count(state::delivering, -1);
    b.count(rules::released_state(q.number(0)), 1);
    ++out.deliveries;
    if (auto id = q.text(1); std::ranges::find(out.webhooks, id) == out.webhooks.end())
      out.webhooks.push_back(std::move(id));
  }
  return out;
}

std::optional<wall_time> next_due(books& b, std::int64_t webhook) {
  query q(b.db,
          "SELECT due FROM deliveries WHERE webhook = ? AND due IS NOT NULL ORDER BY due LIMIT 1");
  q.with(webhook);
  return q.row() ? std::optional(time_of(q.number(0))) : std::nullopt;
}

}  // namespace

answer perform(books& b, const list_due& r) {
  due_page out;
  const auto most = rules::page(r.most);
  std::int64_t last = 0;
  // The earliest of a webhook is one step in the index.
  query q(b.db,
          "SELECT w.number, w.id, o.name, first.due "
          "FROM webhooks w JOIN organizations o ON o.number = w.organization "
          "CROSS JOIN LATERAL (SELECT d.due FROM deliveries d WHERE d.webhook = w.number "
          "AND d.due IS NOT NULL ORDER BY d.due LIMIT 1) first "
          "WHERE w.number > ? AND w.deleted = 0 AND w.why_not = 0 ORDER BY w.number LIMIT ?");
  q.with(r.after.value_or(0)).with(most + 1);
  while (q.row()) {
    if (out.webhooks.size() == most) {
      out.next = last;
      break;
    }
    last = q.number(0);
    out.webhooks.push_back({q.text(1), q.text(2), time_of(q.number(3))});
  }
  return out;
}

answer perform(books& b, const take_due& r) {
  if (auto why = rules::wrong(r)) return std::move(*why);
  static const std::string hook = "SELECT " + std::string(rows::webhook_columns) +
                                  " FROM known_webhooks w JOIN organizations o ON o.number = "
                                  "w.organization WHERE w.id = ?";
  static const std::string take =
      "WITH mine AS (SELECT number, due FROM deliveries WHERE webhook = ? AND due <= ? "
      "ORDER BY due, number LIMIT ? FOR UPDATE SKIP LOCKED), "
      "leased AS (UPDATE deliveries d SET status = 1, due = NULL, lease = ?, lease_until = ? "
      "FROM mine WHERE d.number = mine.number RETURNING d.*, mine.due AS was_due) SELECT " +
      std::string(rows::delivery_columns) +
      ", e.at, e.body FROM leased d JOIN webhooks w ON w.number = d.webhook "
      "JOIN events e ON e.number = d.event ORDER BY d.was_due, d.number";
  taken out;
  std::int64_t number = 0;
  {
    query q(b.db, hook);
    q.with(r.webhook);
    if (!q.row()) return rules::no_such("webhook", r.webhook);
    number = q.number(rows::webhook_number);
    out.webhook = rows::webhook_of(q);
  }
  if (out.webhook.why_not != webhook::disabled::no) return out;
  query q(b.db, take);
  q.with(number).with(millis(r.now)).with(std::clamp<std::size_t>(r.most, 1, limits::ledger_taken));
  q.with(r.lease).with(millis(r.until) + b.house.time.ahead(b.db));
  while (q.row()) {
    auto d = rows::delivery_of(q);
    auto e = rows::event_of(q, d, out.webhook.organization);
    b.count(rules::released_state(d.attempts), -1);
    b.count(state::delivering, 1);
    out.deliveries.push_back({std::move(d), std::move(e)});
  }
  out.next = next_due(b, number);
  return out;
}

answer perform(books& b, const give_back& r) {
  static const std::string sql =
      release_sql("d.lease = ? ORDER BY d.lease_until, d.number FOR UPDATE");
  query q(b.db, sql);
  q.with(r.lease).with(millis(r.now));
  return released_by(b, q);
}

/// Never all of them: other instances live.
answer perform(books& b, const release_leases& r) {
  static const std::string sql = release_sql(
      "(d.lease_until <= ? OR d.lease_until > ?) ORDER BY d.lease_until LIMIT ? FOR UPDATE SKIP "
      "LOCKED");
  const auto now = millis(r.now) + b.house.time.ahead(b.db);
  query q(b.db, sql);
  q.with(now).with(now + std::chrono::milliseconds(limits::ledger_lease).count());
  q.with(limits::ledger_step).with(millis(r.now));
  auto out = released_by(b, q);
  out.more = out.deliveries == limits::ledger_step;
  return out;
}

}  // namespace gate::postgres
