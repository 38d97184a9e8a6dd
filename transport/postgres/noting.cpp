/// What became of attempts: all that a group has to note, in five statements.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;
using rows::number_of;
using webhook::state;

/// An attempt whose lease is its delivery's, and stays so until the end of the transaction.
struct current {
  const note_attempt* what = nullptr;
  answer* said = nullptr;
  std::string error;  ///< whatever it quotes of a receiver, it is to be noted
  std::int64_t number = 0, webhook = 0, attempts = 0;
};

/// In the order in which they were asked for; the others are refused.
std::vector<current> held(books& b, const std::vector<asked_for<note_attempt>>& all) {
  std::vector<std::string_view> deliveries, leases;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (auto why = rules::wrong(*all[i].what)) {
      *all[i].said = std::move(*why);
      continue;
    }
    *all[i].said = rules::lease_is_over(all[i].what->delivery);
    deliveries.push_back(all[i].what->delivery);
    leases.push_back(all[i].what->lease);
    places.push_back(static_cast<std::int64_t>(i));
  }
  std::map<std::size_t, current> out;
  std::set<std::int64_t> once;
  if (places.empty()) return {};
  query q(b.db,
          "SELECT t.place, d.number, d.webhook, d.attempts "
          "FROM unnest(?::TEXT[], ?::TEXT[], ?::BIGINT[]) AS t (id, lease, place) "
          "JOIN deliveries d ON d.id = t.id AND d.lease = t.lease AND d.status = 1 "
          "ORDER BY d.number, t.place FOR UPDATE OF d");
  q.with_all(deliveries).with_all(leases).with_all(places);
  while (q.row()) {
    const auto place = static_cast<std::size_t>(q.number(0));
    // The first of several ends the lease.
    if (place < all.size() && once.insert(q.number(1)).second)
      out[place] = {all[place].what, all[place].said, utf8_of(all[place].what->what.error),
                    q.number(1),     q.number(2),     q.number(3)};
  }
  std::vector<current> in_order;
  for (const auto& [place, one] : out) in_order.push_back(one);
  return in_order;
}

void write_outcomes(books& b, const std::vector<current>& all) {
  using maybe = std::optional<std::int64_t>;
  std::vector<std::int64_t> numbers, statuses, attempts, codes;
  std::vector<std::string_view> answers, errors;
  std::vector<maybe> due, finished, failed;
  for (const auto& d : all) {
    const auto& r = *d.what;
    const bool ended = r.status != state::failed;
    numbers.push_back(d.number);
    statuses.push_back(number_of(r.status));
    attempts.push_back(d.attempts + 1);
    codes.push_back(r.what.code);
    answers.push_back(r.answer);
    errors.push_back(d.error);
    due.push_back(ended ? std::nullopt : millis(r.next));
    finished.push_back(ended ? maybe(millis(r.now)) : std::nullopt);
    failed.push_back(r.status == state::succeeded ? std::nullopt : maybe(millis(r.now)));
    b.count(state::delivering, -1);
    b.count(r.status, 1);
  }
  query q(b.db,
          "UPDATE deliveries d SET status = t.status, attempts = t.attempts, code = t.code, "
          "answer = t.answer, error = t.error, due = t.due, lease = NULL, lease_until = NULL, "
          "finished = t.finished, first_failed = coalesce(d.first_failed, t.failed), "
          "last_failed = coalesce(t.failed, d.last_failed) "
          "FROM unnest(?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BYTEA[], ?::TEXT[], "
          "?::BIGINT[], ?::BIGINT[], ?::BIGINT[]) AS t (number, status, attempts, code, answer, "
          "error, due, finished, failed) WHERE d.number = t.number");
  q.with_all(numbers).with_all(statuses).with_all(attempts).with_all(codes);
  q.with_all_bytes(answers).with_all(errors).with_all(due).with_all(finished).with_all(failed);
  q.done();
}

void write_attempts(books& b, const std::vector<current>& all) {
  const auto kept = static_cast<std::int64_t>(limits::ledger_attempts);
  std::vector<std::int64_t> deliveries, n, at, took, codes, old, old_n;
  std::vector<std::string_view> errors;
  for (const auto& d : all) {
    const auto& a = d.what->what;
    deliveries.push_back(d.number);
    n.push_back(d.attempts + 1);
    at.push_back(millis(a.at));
    took.push_back(a.took.count());
    codes.push_back(a.code);
    errors.push_back(d.error);
    if (d.attempts + 1 <= kept) continue;
    old.push_back(d.number);
    old_n.push_back(d.attempts + 1 - kept);
  }
  query q(b.db,
          "INSERT INTO attempts (delivery, n, at, took, code, error) SELECT * FROM "
          "unnest(?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::TEXT[])");
  q.with_all(deliveries).with_all(n).with_all(at).with_all(took).with_all(codes).with_all(errors);
  q.done();
  if (old.empty()) return;
  query(b.db,
        "DELETE FROM attempts a USING unnest(?::BIGINT[], ?::BIGINT[]) AS t (delivery, n) "
        "WHERE a.delivery = t.delivery AND a.n <= t.n")
      .with_all(old)
      .with_all(old_n)
      .done();
}

struct stats {
  std::int64_t succeeded = 0, failed = 0;  ///< more than before
  std::int64_t last_status = 0, last_at = 0;
  std::optional<std::int64_t> failing_since;
};

/// As they are, and stay until the end of the transaction.
std::map<std::int64_t, stats> locked_stats(books& b, const std::vector<current>& all) {
  std::set<std::int64_t> numbers;
  for (const auto& d : all) numbers.insert(d.webhook);
  std::map<std::int64_t, stats> out;
  query q(b.db,
          "SELECT webhook, last_status, failing_since FROM webhook_stats WHERE webhook = ANY(?) "
          "ORDER BY webhook FOR NO KEY UPDATE");
  q.with_all(std::vector(numbers.begin(), numbers.end()));
  while (q.row()) {
    auto& s = out[q.number(0)];
    s.last_status = q.number(1);
    s.failing_since = q.maybe(2);
  }
  return out;
}

void add(stats& to, const note_attempt& r) {
  const bool succeeded = r.status == state::succeeded;
  to.succeeded += succeeded ? 1 : 0;
  to.failed += r.status == state::dead ? 1 : 0;
  if (r.what.code != 0) to.last_status = r.what.code;
  to.last_at = millis(r.what.at);
  if (succeeded)
    to.failing_since.reset();
  else if (!to.failing_since)
    to.failing_since = millis(r.now);
}

void write_stats(books& b, const std::map<std::int64_t, stats>& all) {
  std::vector<std::int64_t> webhooks, succeeded, failed, last_status, last_at;
  std::vector<std::optional<std::int64_t>> failing_since;
  for (const auto& [number, s] : all) {
    webhooks.push_back(number);
    succeeded.push_back(s.succeeded);
    failed.push_back(s.failed);
    last_status.push_back(s.last_status);
    last_at.push_back(s.last_at);
    failing_since.push_back(s.failing_since);
  }
  query q(b.db,
          "UPDATE webhook_stats s SET succeeded = s.succeeded + t.succeeded, "
          "failed = s.failed + t.failed, last_status = t.last_status, last_at = t.last_at, "
          "failing_since = t.failing_since FROM unnest(?::BIGINT[], ?::BIGINT[], ?::BIGINT[], "
          "?::BIGINT[], ?::BIGINT[], ?::BIGINT[]) AS t (webhook, succeeded, failed, last_status, "
          "last_at, failing_since) WHERE s.webhook = t.webhook");
  q.with_all(webhooks).with_all(succeeded).with_all(failed).with_all(last_status);
  q.with_all(last_at).with_all(failing_since);
  q.done();
}

}  // namespace

void note_all(books& b, const std::vector<asked_for<note_attempt>>& all) {
  const auto mine = held(b, all);
  if (mine.empty() || b.db.failed()) return;
  write_outcomes(b, mine);
  write_attempts(b, mine);
  auto of_webhooks = locked_stats(b, mine);
  for (const auto& d : mine) {
    auto& s = of_webhooks[d.webhook];
    add(s, *d.what);
    *d.said = noted{rows::time_of(s.failing_since)};
  }
  write_stats(b, of_webhooks);
}

}  // namespace gate::postgres
