/// What has become of deliveries: lists, one with its attempts, dead letters.
#include <algorithm>
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;
using rows::number_of;
using rows::time_of;
using webhook::state;

constexpr std::int64_t any = -1;
constexpr auto looked_at = static_cast<std::int64_t>(limits::ledger_looked_at);

/// A page out of at most so many rows that are looked at, newest first: `which` says from where on,
/// `wanted` which of them. Behind the last of those there may be one more, which only says so.
std::string page_sql(const char* which, const char* wanted) {
  return "WITH seen AS (SELECT d.number, d.status, d.type, row_number() OVER (ORDER BY d.number "
         "DESC) AS n FROM "
         "(SELECT d.number, d.status, d.type FROM deliveries d WHERE " +
         std::string(which) + " AND d.number < ? ORDER BY d.number DESC LIMIT ?) d) SELECT " +
         std::string(rows::delivery_columns) +
         ", seen.n FROM seen JOIN deliveries d ON d.number = seen.number "
         "JOIN webhooks w ON w.number = d.webhook JOIN events e ON e.number = d.event "
         "WHERE (" +
         wanted + ") OR seen.n > ? ORDER BY d.number DESC LIMIT ?";
}

struct window {
  std::int64_t before = rules::newest;
  std::size_t most = 0;
};
template <class R>
window window_of(const R& r) {
  return {r.before.value_or(rules::newest), rules::page(r.most)};
}

/// The parameters of `page_sql` behind those of `which`; `is` is that of `wanted`.
delivery_page page_of(query& q, const window& w, std::int64_t is) {
  q.with(w.before).with(looked_at + 1).with(is).with(is).with(looked_at).with(w.most + 1);
  delivery_page out;
  std::int64_t last = 0;
  while (q.row()) {
    const auto number = q.number(rows::delivery_number);
    if (q.number(rows::delivery_number + 1) > looked_at) {
      out.next = number + 1;
      break;
    }
    if (out.deliveries.size() == w.most) {
      out.next = last;
      break;
    }
    last = number;
    out.deliveries.push_back(rows::delivery_of(q));
  }
  return out;
}

struct found_delivery {
  std::int64_t number = 0;
  state status = state::pending;
  std::string webhook;
};

/// It stays as it is until the end of the transaction.
std::optional<found_delivery> lock_delivery(books& b, const std::string& organization,
                                            const std::string& id) {
  query q(b.db,
          "SELECT d.number, d.status, w.id FROM deliveries d "
          "JOIN webhooks w ON w.number = d.webhook "
          "JOIN organizations o ON o.number = d.organization "
          "WHERE d.id = ? AND o.name = ? AND w.deleted = 0 FOR UPDATE OF d");
  q.with(id).with(organization);
  if (!q.row()) return {};
  return found_delivery{q.number(0), rows::state_of(q, 1), q.text(2)};
}

/// What was dead keeps the time of that: whoever makes the attempt sees that it is the only one.
void make_due(books& b, const std::vector<std::int64_t>& numbers, state was, wall_time now) {
  const auto becomes = rules::retried_state(was);
  query(b.db, "UPDATE deliveries SET status = ?, due = ? WHERE number = ANY(?)")
      .with(number_of(becomes))
      .with(millis(now))
      .with_all(numbers)
      .done();
  b.count(was, -static_cast<std::int64_t>(numbers.size()));
  b.count(becomes, static_cast<std::int64_t>(numbers.size()));
}

}  // namespace

answer perform(books& b, const list_deliveries& r) {
  static const std::string sql = page_sql("d.webhook = ?", "? = -1 OR seen.status = ?");
  const auto found = find_webhook(b, r.organization, r.webhook);
  if (!found) return rules::no_such("webhook", r.webhook);
  query q(b.db, sql);
  q.with(found->number);
  return page_of(q, window_of(r), r.status ? number_of(*r.status) : any);
}

answer perform(books& b, const read_delivery& r) {
  static const std::string sql =
      "SELECT " + std::string(rows::delivery_columns) +
      ", e.at, e.body FROM deliveries d JOIN webhooks w ON w.number = d.webhook "
      "JOIN events e ON e.number = d.event JOIN organizations o ON o.number = d.organization "
      "WHERE d.id = ? AND o.name = ? AND w.deleted = 0";
  whole_delivery out;
  std::int64_t number = 0;
  {
    query q(b.db, sql);
    q.with(r.id).with(r.organization);
    if (!q.row()) return rules::no_such("delivery", r.id);
    out.delivery = rows::delivery_of(q);
    out.event = rows::event_of(q, out.delivery, r.organization);
    number = q.number(rows::delivery_number);
  }
  // Of an attempt that is noted at this moment no half is shown.
  query q(b.db,
          "SELECT at, took, code, error FROM attempts WHERE delivery = ? AND n <= ? ORDER BY n");
  q.with(number).with(out.delivery.attempts);
  while (q.row()) out.delivery.log.push_back(rows::attempt_of(q));
  return out;
}

answer perform(books& b, const retry_delivery& r) {
  const auto found = lock_delivery(b, r.organization, r.id);
  if (!found) return rules::no_such("delivery", r.id);
  if (auto why = rules::not_tried_again(r.id, found->status)) return std::move(*why);
  make_due(b, {found->number}, found->status, r.now);
  return requeued{{r.id}, found->webhook, false};
}

answer perform(books& b, const list_dead& r) {
  static const std::string of_all = page_sql(
      "d.organization = (SELECT number FROM organizations WHERE name = ?) "
      "AND d.status = 4 AND NOT EXISTS (SELECT 1 FROM webhooks "
      "WHERE number = d.webhook AND deleted = 1)",
      "? = -1 OR seen.type = ?");
  static const std::string of_one =
      page_sql("d.webhook = ? AND d.status = 4", "? = -1 OR seen.type = ?");
  const auto type = r.type ? static_cast<std::int64_t>(*r.type) : any;
  if (r.webhook.empty()) {
    query q(b.db, of_all);
    q.with(r.organization);
    return page_of(q, window_of(r), type);
  }
  const auto found = find_webhook(b, r.organization, r.webhook);
  if (!found) return rules::no_such("webhook", r.webhook);
  query q(b.db, of_one);
  q.with(found->number);
  return page_of(q, window_of(r), type);
}

answer perform(books& b, const dead_stats& r) {
  using std::chrono::hours;
  dead_counts out;
  query q(b.db,
          "SELECT type, CASE WHEN finished > ? THEN 0 WHEN finished > ? THEN 1 "
          "WHEN finished > ? THEN 2 ELSE 3 END AS age, count(*), min(finished) FROM deliveries d "
          "WHERE organization = (SELECT number FROM organizations WHERE name = ?) "
          "AND status = 4 AND NOT EXISTS (SELECT 1 FROM webhooks "
          "WHERE number = d.webhook AND deleted = 1) GROUP BY type, age");
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
  query q(b.db,
          "SELECT number, id FROM deliveries WHERE webhook = ? AND status = 4 "
          "ORDER BY number LIMIT ? FOR UPDATE");
  q.with(found->number).with(limits::ledger_step);
  while (q.row()) {
    all.push_back(q.number(0));
    out.deliveries.push_back(q.text(1));
  }
  make_due(b, all, state::dead, r.now);
  out.more = all.size() == limits::ledger_step;
  return out;
}

answer perform(books& b, const delete_dead& r) {
  std::optional<gone_delivery> found;
  {
    query q(b.db,
            "SELECT d.number, d.event, d.status FROM deliveries d "
            "JOIN webhooks w ON w.number = d.webhook "
            "JOIN organizations o ON o.number = d.organization "
            "WHERE d.id = ? AND d.status = 4 AND o.name = ? AND w.deleted = 0 FOR UPDATE OF d");
    q.with(r.id).with(r.organization);
    if (q.row()) found = {q.number(0), q.number(1), rows::state_of(q, 2)};
  }
  if (!found) return rules::no_such("dead letter", r.id);
  cleaned gone;
  remove_deliveries(b, {*found}, gone);
  return done{};
}

}  // namespace gate::postgres
