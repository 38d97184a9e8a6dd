/// Deliveries that are due: who has them, and what became of the attempts.
#include <utility>

#include "transport/ledger/books.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/rules.hpp"

namespace gate::ledger {
namespace {

using rows::millis;
using rows::number_of;
using rows::time_of;
using webhook::state;

std::optional<wall_time> next_due(books& b, std::int64_t webhook) {
  sqlite::query q(b.db,
                  "SELECT due FROM deliveries WHERE webhook = ? AND due IS NOT NULL "
                  "ORDER BY due LIMIT 1");
  q.with(webhook);
  return q.row() ? std::optional(time_of(q.number(0))) : std::nullopt;
}

struct leased {
  std::int64_t number = 0;
  std::int64_t attempts = 0;
  std::int64_t webhook = 0;
  std::string webhook_id;
};

/// They are due again, as if nobody had taken them.
released release(books& b, const std::vector<leased>& all, wall_time now) {
  released out;
  for (const auto& d : all) {
    const auto back = rules::released_state(d.attempts);
    sqlite::query(b.db,
                  "UPDATE deliveries SET status = ?, due = ?, lease = NULL, lease_until = NULL "
                  "WHERE number = ?")
        .with(number_of(back))
        .with(millis(now))
        .with(d.number)
        .done();
    b.count(state::delivering, -1);
    b.count(back, 1);
    if (std::ranges::find(out.webhooks, d.webhook_id) == out.webhooks.end())
      out.webhooks.push_back(d.webhook_id);
  }
  out.deliveries = all.size();
  return out;
}

std::vector<leased> leases_of(sqlite::query& q) {
  std::vector<leased> out;
  while (q.row()) out.push_back({q.number(0), q.number(1), q.number(2), q.text(3)});
  return out;
}

void take(books& b, const taken::one& t, std::int64_t number, const take_due& r) {
  sqlite::query(b.db,
                "UPDATE deliveries SET status = 1, due = NULL, lease = ?, lease_until = ? "
                "WHERE number = ?")
      .with(r.lease)
      .with(millis(r.until))
      .with(number)
      .done();
  b.count(t.delivery.status, -1);
  b.count(state::delivering, 1);
}

struct current {
  std::int64_t number = 0, webhook = 0, attempts = 0;
};

/// The delivery, if the lease is its own.
std::optional<current> held(books& b, const note_attempt& r) {
  sqlite::query q(b.db,
                  "SELECT number, webhook, attempts FROM deliveries "
                  "WHERE id = ? AND status = 1 AND lease = ?");
  q.with(r.delivery).with(r.lease);
  if (!q.row()) return {};
  return current{q.number(0), q.number(1), q.number(2)};
}

void write_outcome(books& b, const current& d, const note_attempt& r) {
  const bool ended = r.status != state::failed;
  const bool succeeded = r.status == state::succeeded;
  std::optional<std::int64_t> failed_at;
  if (!succeeded) failed_at = millis(r.now);
  sqlite::query(b.db,
                "UPDATE deliveries SET status = ?, attempts = ?, code = ?, answer = ?, error = ?, "
                "due = ?, lease = NULL, lease_until = NULL, finished = ?, "
                "first_failed = coalesce(first_failed, ?), last_failed = coalesce(?, last_failed) "
                "WHERE number = ?")
      .with(number_of(r.status))
      .with(d.attempts + 1)
      .with(r.what.code)
      .with_bytes(r.answer)
      .with(r.what.error)
      .with(ended ? std::nullopt : millis(r.next))
      .with(ended ? std::optional(millis(r.now)) : std::nullopt)
      .with(failed_at)
      .with(failed_at)
      .with(d.number)
      .done();
  b.count(state::delivering, -1);
  b.count(r.status, 1);
}

void write_attempt(books& b, const current& d, const webhook::attempt& a) {
  sqlite::query(b.db,
                "INSERT INTO attempts (delivery, n, at, took, code, error) "
                "VALUES (?, ?, ?, ?, ?, ?)")
      .with(d.number)
      .with(d.attempts + 1)
      .with(millis(a.at))
      .with(a.took.count())
      .with(a.code)
      .with(a.error)
      .done();
  const auto kept = static_cast<std::int64_t>(limits::ledger_attempts);
  if (d.attempts + 1 > kept)
    sqlite::query(b.db, "DELETE FROM attempts WHERE delivery = ? AND n <= ?")
        .with(d.number)
        .with(d.attempts + 1 - kept)
        .done();
}

void write_stats(books& b, const current& d, const note_attempt& r) {
  const bool succeeded = r.status == state::succeeded;
  sqlite::query(b.db,
                "UPDATE webhooks SET succeeded = succeeded + ?, failed = failed + ?, "
                "last_status = CASE WHEN ? <> 0 THEN ? ELSE last_status END, last_at = ?, "
                "failing_since = CASE WHEN ? THEN NULL ELSE coalesce(failing_since, ?) END "
                "WHERE number = ?")
      .with(succeeded)
      .with(r.status == state::dead)
      .with(r.what.code)
      .with(r.what.code)
      .with(millis(r.what.at))
      .with(succeeded)
      .with(millis(r.now))
      .with(d.webhook)
      .done();
}

}  // namespace

answer perform(books& b, const list_due& r) {
  due_page out;
  const auto most = rules::page(r.most);
  std::int64_t last = 0;
  // The earliest of a webhook is one step in the index.
  sqlite::query q(b.db,
                  "SELECT w.number, w.id, o.name, (SELECT min(d.due) FROM deliveries d "
                  "WHERE d.webhook = w.number AND d.due IS NOT NULL) AS earliest "
                  "FROM webhooks w JOIN organizations o ON o.number = w.organization "
                  "WHERE w.number > ? AND w.deleted = 0 AND w.why_not = 0 AND "
                  "earliest IS NOT NULL ORDER BY w.number LIMIT ?");
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
                                  " FROM webhooks w JOIN organizations o ON o.number = "
                                  "w.organization WHERE w.id = ? AND w.deleted = 0";
  taken out;
  std::int64_t number = 0;
  {
    sqlite::query q(b.db, hook);
    q.with(r.webhook);
    if (!q.row()) return rules::no_such("webhook", r.webhook);
    number = q.number(rows::webhook_number);
    out.webhook = rows::webhook_of(q);
  }
  if (out.webhook.why_not != webhook::disabled::no) return out;
  static const std::string due =
      "SELECT " + std::string(rows::delivery_columns) +
      ", e.at, e.body FROM deliveries d JOIN webhooks w ON w.number = d.webhook "
      "JOIN events e ON e.number = d.event "
      "WHERE d.webhook = ? AND d.due <= ? ORDER BY d.due LIMIT ?";
  std::vector<std::int64_t> numbers;
  {
    sqlite::query q(b.db, due);
    q.with(number).with(millis(r.now));
    q.with(std::clamp<std::size_t>(r.most, 1, limits::ledger_taken));
    while (q.row()) {
      numbers.push_back(q.number(rows::delivery_number));
      auto d = rows::delivery_of(q);
      auto e = rows::event_of(q, d, out.webhook.organization);
      out.deliveries.push_back({std::move(d), std::move(e)});
    }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    take(b, out.deliveries[i], numbers[i], r);
    out.deliveries[i].delivery.status = state::delivering;
    out.deliveries[i].delivery.next_attempt.reset();
  }
  out.next = next_due(b, number);
  return out;
}

answer perform(books& b, const note_attempt& r) {
  if (auto why = rules::wrong(r)) return std::move(*why);
  const auto d = held(b, r);
  if (!d) return rules::lease_is_over(r.delivery);
  write_outcome(b, *d, r);
  write_attempt(b, *d, r.what);
  write_stats(b, *d, r);
  sqlite::query q(b.db, "SELECT failing_since FROM webhooks WHERE number = ?");
  q.with(d->webhook);
  if (!q.row()) return {};
  return noted{time_of(q.maybe(0))};
}

answer perform(books& b, const give_back& r) {
  std::vector<leased> all;
  {
    // Those with a lease are few: as many as attempts are in flight.
    sqlite::query q(b.db,
                    "SELECT d.number, d.attempts, d.webhook, w.id FROM deliveries d "
                    "JOIN webhooks w ON w.number = d.webhook "
                    "WHERE d.lease_until IS NOT NULL AND d.lease = ?");
    q.with(r.lease);
    all = leases_of(q);
  }
  return release(b, all, r.now);
}

answer perform(books& b, const release_leases& r) {
  std::vector<leased> all;
  {
    sqlite::query q(b.db,
                    "SELECT d.number, d.attempts, d.webhook, w.id FROM deliveries d "
                    "JOIN webhooks w ON w.number = d.webhook WHERE d.lease_until IS NOT NULL "
                    "AND (? OR d.lease_until <= ? OR d.lease_until > ?) LIMIT ?");
    q.with(r.all).with(millis(r.now)).with(millis(r.now + limits::ledger_lease));
    q.with(limits::ledger_step);
    all = leases_of(q);
  }
  auto out = release(b, all, r.now);
  out.more = all.size() == limits::ledger_step;
  return out;
}

}  // namespace gate::ledger
