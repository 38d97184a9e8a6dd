/// What has become of deliveries: lists, one with its attempts, dead letters.
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

/// A page out of at most so many rows that were looked at: `q` gives deliveries, newest first, and
/// behind the number of each whether it is wanted.
delivery_page page_of(sqlite::query& q, std::size_t most) {
  delivery_page out;
  std::size_t looked_at = 0;
  std::int64_t last = 0;
  while (q.row()) {
    if (out.deliveries.size() == most || looked_at == limits::ledger_looked_at) {
      out.next = last;
      break;
    }
    ++looked_at;
    last = q.number(rows::delivery_number);
    if (q.number(rows::delivery_number + 1) != 0) out.deliveries.push_back(rows::delivery_of(q));
  }
  return out;
}

/// For `page_of`: `wanted` is a condition, `which` says from where on and in which index.
std::string page_sql(const char* wanted, const char* which) {
  return "SELECT " + std::string(rows::delivery_columns) + ", (" + wanted +
         ") FROM deliveries d JOIN webhooks w ON w.number = d.webhook "
         "JOIN events e ON e.number = d.event WHERE " +
         which + " AND d.number < ? ORDER BY d.number DESC";
}

constexpr std::int64_t any = -1;

void add_attempts(books& b, std::int64_t delivery, webhook::delivery& to) {
  sqlite::query q(b.db, "SELECT at, took, code, error FROM attempts WHERE delivery = ? ORDER BY n");
  q.with(delivery);
  while (q.row()) to.log.push_back(rows::attempt_of(q));
}

struct waiting_delivery {
  std::int64_t number = 0;
  state status = state::pending;
  std::string webhook;
};

std::optional<waiting_delivery> find_delivery(books& b, const std::string& organization,
                                              const std::string& id) {
  sqlite::query q(b.db,
                  "SELECT d.number, d.status, w.id FROM deliveries d "
                  "JOIN webhooks w ON w.number = d.webhook "
                  "JOIN organizations o ON o.number = d.organization "
                  "WHERE d.id = ? AND o.name = ? AND w.deleted = 0");
  q.with(id).with(organization);
  if (!q.row()) return {};
  return waiting_delivery{q.number(0), rows::state_of(q, 1), q.text(2)};
}

/// What was dead keeps the time of that: whoever makes the attempt sees that it is the only one.
void make_due(books& b, std::int64_t number, state was, wall_time now) {
  const auto becomes = rules::retried_state(was);
  sqlite::query(b.db, "UPDATE deliveries SET status = ?, due = ? WHERE number = ?")
      .with(number_of(becomes))
      .with(millis(now))
      .with(number)
      .done();
  b.count(was, -1);
  b.count(becomes, 1);
}

}  // namespace

answer perform(books& b, const list_deliveries& r) {
  static const std::string sql = page_sql("? = -1 OR d.status = ?", "d.webhook = ?");
  const auto found = find_webhook(b, r.organization, r.webhook);
  if (!found) return rules::no_such("webhook", r.webhook);
  const auto status = r.status ? number_of(*r.status) : any;
  sqlite::query q(b.db, sql);
  q.with(status).with(status).with(found->number).with(r.before.value_or(rules::newest));
  return page_of(q, rules::page(r.most));
}

answer perform(books& b, const read_delivery& r) {
  static const std::string sql =
      "SELECT " + std::string(rows::delivery_columns) +
      ", e.at, e.body FROM deliveries d JOIN webhooks w ON w.number = d.webhook "
      "JOIN events e ON e.number = d.event JOIN organizations o ON o.number = d.organization "
      "WHERE d.id = ? AND o.name = ? AND w.deleted = 0";
  sqlite::query q(b.db, sql);
  q.with(r.id).with(r.organization);
  if (!q.row()) return rules::no_such("delivery", r.id);
  whole_delivery out;
  out.delivery = rows::delivery_of(q);
  out.event = rows::event_of(q, out.delivery, r.organization);
  add_attempts(b, q.number(rows::delivery_number), out.delivery);
  return out;
}

answer perform(books& b, const retry_delivery& r) {
  const auto found = find_delivery(b, r.organization, r.id);
  if (!found) return rules::no_such("delivery", r.id);
  if (auto why = rules::not_tried_again(r.id, found->status)) return std::move(*why);
  make_due(b, found->number, found->status, r.now);
  return requeued{{r.id}, found->webhook, false};
}

answer perform(books& b, const list_dead& r) {
  static const std::string of_all =
      page_sql("(? = -1 OR d.type = ?) AND w.deleted = 0",
               "d.organization = (SELECT number FROM organizations WHERE name = ?) "
               "AND d.status = 4");
  static const std::string of_one =
      page_sql("? = -1 OR d.type = ?", "d.webhook = ? AND d.status = 4");
  const auto type = r.type ? static_cast<std::int64_t>(*r.type) : any;
  const auto before = r.before.value_or(rules::newest);
  if (r.webhook.empty()) {
    sqlite::query q(b.db, of_all);
    q.with(type).with(type).with(r.organization).with(before);
    return page_of(q, rules::page(r.most));
  }
  const auto found = find_webhook(b, r.organization, r.webhook);
  if (!found) return rules::no_such("webhook", r.webhook);
  sqlite::query q(b.db, of_one);
  q.with(type).with(type).with(found->number).with(before);
  return page_of(q, rules::page(r.most));
}

answer perform(books& b, const dead_stats& r) {
  using std::chrono::hours;
  dead_counts out;
  sqlite::query q(b.db,
                  "SELECT type, CASE WHEN finished > ? THEN 0 WHEN finished > ? THEN 1 "
                  "WHEN finished > ? THEN 2 ELSE 3 END AS age, count(*), min(finished) "
                  "FROM deliveries "
                  "WHERE organization = (SELECT number FROM organizations WHERE name = ?) "
                  "AND status = 4 "
                  "AND webhook NOT IN (SELECT number FROM webhooks WHERE deleted = 1) "
                  "GROUP BY type, age");
  q.with(millis(r.now - hours(1))).with(millis(r.now - hours(24)));
  q.with(millis(r.now - hours(7 * 24))).with(r.organization);
  while (q.row())
    rules::add(out, static_cast<std::size_t>(q.number(0)), static_cast<std::size_t>(q.number(1)),
               static_cast<std::uint64_t>(q.number(2)), time_of(q.number(3)));
  return out;
}

answer perform(books& b, const retry_dead& r) {
  const auto found = find_webhook(b, r.organization, r.webhook);
  if (!found) return rules::no_such("webhook", r.webhook);
  std::vector<std::int64_t> all;
  requeued out{{}, r.webhook, false};
  {
    sqlite::query q(b.db,
                    "SELECT number, id FROM deliveries WHERE webhook = ? AND status = 4 LIMIT ?");
    q.with(found->number).with(limits::ledger_step);
    while (q.row()) {
      all.push_back(q.number(0));
      out.deliveries.push_back(q.text(1));
    }
  }
  for (const auto number : all) make_due(b, number, state::dead, r.now);
  out.more = all.size() == limits::ledger_step;
  return out;
}

}  // namespace gate::ledger
