/// Webhooks: reading and changing them.
#include "transport/ledger/books.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/rules.hpp"

namespace gate::ledger {
namespace {

using rows::millis;

answer webhook_again(books& b, const std::string& organization, const std::string& id) {
  const auto found = find_webhook(b, organization, id);
  if (!found) return rules::no_such("webhook", id);
  return found->what;
}

}  // namespace

std::optional<rows::numbered_webhook> find_webhook(books& b, const std::string& organization,
                                                   const std::string& id) {
  static const std::string sql = "SELECT " + std::string(rows::webhook_columns) +
                                 " FROM webhooks w JOIN organizations o ON o.number = "
                                 "w.organization WHERE w.id = ? AND o.name = ? AND w.deleted = 0";
  sqlite::query q(b.db, sql);
  q.with(id).with(organization);
  if (!q.row()) return {};
  return rows::numbered_webhook{q.number(rows::webhook_number), rows::webhook_of(q)};
}

answer perform(books& b, const read_webhook& r) {
  return webhook_again(b, r.organization, r.id);
}

answer perform(books& b, const list_webhooks& r) {
  static const std::string sql =
      "SELECT " + std::string(rows::webhook_columns) +
      " FROM organizations o JOIN webhooks w ON w.organization = o.number AND w.deleted = 0 "
      "WHERE o.name = ? AND w.number < ? ORDER BY w.number DESC LIMIT ?";
  const auto most = rules::page(r.most);
  const auto before = r.before.value_or(rules::newest);
  webhook_page out;
  std::int64_t last = 0;
  sqlite::query q(b.db, sql);
  q.with(r.organization).with(before).with(most + 1);
  while (q.row()) {
    if (out.webhooks.size() == most) {
      out.next = last;
      break;
    }
    last = q.number(rows::webhook_number);
    out.webhooks.push_back(rows::webhook_of(q));
  }
  return out;
}

answer perform(books& b, const patch_webhook& r) {
  auto found = find_webhook(b, r.organization, r.id);
  if (!found) return rules::no_such("webhook", r.id);
  auto& w = found->what;
  rules::patch(w, r);
  sqlite::query(b.db,
                "UPDATE webhooks SET events = ?, url = ?, description = ?, why_not = ?, "
                "failing_since = ?, updated = ? WHERE number = ?")
      .with(static_cast<int>(w.events))
      .with(w.url)
      .with(w.description)
      .with(static_cast<int>(w.why_not))
      .with(millis(w.failing_since))
      .with(millis(r.now))
      .with(found->number)
      .done();
  return w;
}

answer perform(books& b, const delete_webhook& r) {
  const auto found = find_webhook(b, r.organization, r.id);
  if (!found) return rules::no_such("webhook", r.id);
  sqlite::query(b.db,
                "UPDATE webhooks SET deleted = 1, secret = '', old_secret = '', updated = ? "
                "WHERE number = ?")
      .with(millis(r.now))
      .with(found->number)
      .done();
  return done{};
}

answer perform(books& b, const rotate_secret& r) {
  sqlite::query(b.db,
                "UPDATE webhooks SET old_secret = secret, old_secret_until = ?, secret = ?, "
                "updated = ? WHERE id = ? AND deleted = 0 AND secret <> ? AND "
                "organization = (SELECT number FROM organizations WHERE name = ?)")
      .with(millis(r.old_until))
      .with(r.secret)
      .with(millis(r.now))
      .with(r.id)
      .with(r.secret)
      .with(r.organization)
      .done();
  return webhook_again(b, r.organization, r.id);
}

answer perform(books& b, const disable_webhook& r) {
  if (auto why = rules::wrong(r)) return std::move(*why);
  {
    sqlite::query q(b.db, "SELECT 1 FROM webhooks WHERE id = ? AND deleted = 0");
    q.with(r.id);
    if (!q.row()) return rules::no_such("webhook", r.id);
  }
  sqlite::query(b.db,
                "UPDATE webhooks SET why_not = ?, updated = ? "
                "WHERE id = ? AND deleted = 0 AND why_not = 0")
      .with(static_cast<int>(r.why))
      .with(millis(r.now))
      .with(r.id)
      .done();
  return done{};
}

}  // namespace gate::ledger
