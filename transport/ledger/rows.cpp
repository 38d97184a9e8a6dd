#include "transport/ledger/rows.hpp"

namespace gate::ledger::rows {

webhook::webhook webhook_of(const sqlite::query& q) {
  webhook::webhook out;
  out.id = q.text(0);
  out.organization = q.text(1);
  out.events = static_cast<webhook::event_mask>(q.number(2));
  out.url = q.text(3);
  out.description = q.text(4);
  out.why_not = static_cast<webhook::disabled>(q.number(5));
  out.secret = q.text(6);
  out.old_secret = q.text(7);
  out.old_secret_until = time_of(q.number(8));
  out.created = time_of(q.number(9));
  out.updated = time_of(q.number(10));
  out.failing_since = time_of(q.maybe(11));
  out.succeeded = static_cast<std::uint64_t>(q.number(12));
  out.failed = static_cast<std::uint64_t>(q.number(13));
  out.last_status = static_cast<int>(q.number(14));
  out.last_at = time_of(q.maybe(15));
  return out;
}

webhook::delivery delivery_of(const sqlite::query& q) {
  webhook::delivery out;
  out.id = q.text(0);
  out.webhook = q.text(1);
  out.event = q.text(2);
  out.type = static_cast<webhook::event_type>(q.number(3));
  out.status = state_of(q, 4);
  out.attempts = static_cast<std::uint32_t>(q.number(5));
  out.code = static_cast<int>(q.number(6));
  out.answer = q.text(7);
  out.error = q.text(8);
  out.next_attempt = time_of(q.maybe(9));
  out.created = time_of(q.number(10));
  out.finished = time_of(q.maybe(11));
  out.first_failed = time_of(q.maybe(12));
  out.last_failed = time_of(q.maybe(13));
  return out;
}

std::optional<numbered_webhook> find_webhook(books& b, const std::string& organization,
                                             const std::string& id) {
  static const std::string sql = "SELECT " + std::string(webhook_columns) +
                                 " FROM webhooks w JOIN organizations o ON o.number = "
                                 "w.organization WHERE w.id = ? AND o.name = ? AND w.deleted = 0";
  sqlite::query q(b.db, sql);
  q.with(id).with(organization);
  if (!q.row()) return {};
  return numbered_webhook{q.number(webhook_number), webhook_of(q)};
}

}  // namespace gate::ledger::rows
