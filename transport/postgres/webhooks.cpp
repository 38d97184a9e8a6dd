/// Webhooks: making, reading and changing them.
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;

std::string find_sql(std::string_view lock) {
  return "SELECT " + std::string(rows::webhook_columns) +
         " FROM known_webhooks w JOIN organizations o ON o.number = w.organization "
         "WHERE w.id = ? AND o.name = ?" +
         std::string(lock);
}

answer webhook_again(books& b, const std::string& organization, const std::string& id) {
  auto found = find_webhook(b, organization, id);
  if (!found) return rules::no_such("webhook", id);
  return std::move(found->what);
}

}  // namespace

std::optional<rows::numbered_webhook> find_webhook(books& b, const std::string& organization,
                                                   const std::string& id, bool to_change) {
  static const std::string reading = find_sql("");
  static const std::string changing = find_sql(" FOR NO KEY UPDATE OF w");
  query q(b.db, to_change ? changing : reading);
  q.with(id).with(organization);
  if (!q.row()) return {};
  return rows::numbered_webhook{q.number(rows::webhook_number), rows::webhook_of(q)};
}

answer perform(books& b, const create_webhook& r) {
  const auto& w = r.what;
  const auto organization = b.organizations({w.organization}).at(0);
  // Whoever makes another one of it waits.
  query(b.db, "SELECT number FROM organizations WHERE number = ? FOR NO KEY UPDATE")
      .with(organization)
      .done();
  {
    query q(b.db, "SELECT count(*) FROM webhooks WHERE organization = ? AND deleted = 0");
    q.with(organization);
    if (q.row() && q.number(0) >= static_cast<std::int64_t>(limits::ledger_webhooks))
      return rules::too_many_webhooks();
  }
  query q(b.db,
          "INSERT INTO webhooks (id, organization, events, url, description, why_not, secret, "
          "old_secret, old_secret_until, created, updated) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING number");
  q.with(w.id).with(organization).with(static_cast<int>(w.events)).with(w.url).with(w.description);
  q.with(static_cast<int>(w.why_not)).with(w.secret).with(w.old_secret);
  q.with(millis(w.old_secret_until)).with(millis(w.created)).with(millis(w.updated));
  if (!q.row())
    return refusal{refusal::reason::invalid, "there is a webhook with the id " + w.id + " already"};
  query(b.db, "INSERT INTO webhook_stats (webhook) VALUES (?)").with(q.number(0)).done();
  return webhook_again(b, w.organization, w.id);
}

answer perform(books& b, const read_webhook& r) {
  return webhook_again(b, r.organization, r.id);
}

answer perform(books& b, const list_webhooks& r) {
  static const std::string sql =
      "SELECT " + std::string(rows::webhook_columns) +
      " FROM organizations o JOIN known_webhooks w ON w.organization = o.number "
      "WHERE o.name = ? AND w.number < ? ORDER BY w.number DESC LIMIT ?";
  const auto most = rules::page(r.most);
  webhook_page out;
  std::int64_t last = 0;
  query q(b.db, sql);
  q.with(r.organization).with(r.before.value_or(rules::newest)).with(most + 1);
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
  auto found = find_webhook(b, r.organization, r.id, true);
  if (!found) return rules::no_such("webhook", r.id);
  auto& w = found->what;
  const bool was_failing = w.failing_since.has_value();
  rules::patch(w, r);
  query(b.db,
        "UPDATE webhooks SET events = ?, url = ?, description = ?, why_not = ?, updated = ? "
        "WHERE number = ?")
      .with(static_cast<int>(w.events))
      .with(w.url)
      .with(w.description)
      .with(static_cast<int>(w.why_not))
      .with(millis(w.updated))
      .with(found->number)
      .done();
  if (was_failing && !w.failing_since)
    query(b.db, "UPDATE webhook_stats SET failing_since = NULL WHERE webhook = ?")
        .with(found->number)
        .done();
  return std::move(w);
}

answer perform(books& b, const delete_webhook& r) {
  const auto found = find_webhook(b, r.organization, r.id, true);
  if (!found) return rules::no_such("webhook", r.id);
  query(b.db,
        "UPDATE webhooks SET deleted = 1, secret = '', old_secret = '', updated = ? "
        "WHERE number = ?")
      .with(millis(r.now))
      .with(found->number)
      .done();
  return done{};
}

answer perform(books& b, const rotate_secret& r) {
  query(b.db,
        "UPDATE webhooks SET old_secret = secret, old_secret_until = ?, secret = ?, updated = ? "
        "WHERE id = ? AND deleted = 0 AND secret <> ? AND "
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
    query q(b.db, "SELECT number FROM webhooks WHERE id = ? AND deleted = 0 FOR NO KEY UPDATE");
    q.with(r.id);
    if (!q.row()) return rules::no_such("webhook", r.id);
  }
  query(b.db,
        "UPDATE webhooks SET why_not = ?, updated = ? "
        "WHERE id = ? AND deleted = 0 AND why_not = 0")
      .with(static_cast<int>(r.why))
      .with(millis(r.now))
      .with(r.id)
      .done();
  return done{};
}

}  // namespace gate::postgres
