/// Events come in, and become deliveries.
#include <utility>

#include "transport/ledger/books.hpp"
#include "transport/ledger/rows.hpp"
#include "transport/ledger/rules.hpp"

namespace gate::ledger {
namespace {

using rows::millis;

struct subscriber {
  std::int64_t number = 0;
  std::string id;
  webhook::event_mask events = 0;
  bool has_more = false;
};

std::int64_t organization_number(books& b, const std::string& name) {
  {
    sqlite::query q(b.db, "SELECT number FROM organizations WHERE name = ?");
    q.with(name);
    if (q.row()) return q.number(0);
  }
  sqlite::query(b.db, "INSERT INTO organizations (name) VALUES (?)").with(name).done();
  return b.db.inserted();
}

std::vector<subscriber> subscribers(books& b, std::int64_t organization) {
  std::vector<subscriber> out;
  sqlite::query q(b.db,
                  "SELECT number, id, events FROM webhooks "
                  "WHERE organization = ? AND deleted = 0 AND why_not = 0 ORDER BY number");
  q.with(organization);
  while (q.row())
    out.push_back({q.number(0), q.text(1), static_cast<webhook::event_mask>(q.number(2))});
  return out;
}

/// Nothing if it is another event.
std::optional<accepted::one> repeated(books& b, std::int64_t organization, const new_event& e) {
  sqlite::query q(b.db,
                  "SELECT type, body, fingerprint, deliveries FROM events "
                  "WHERE organization = ? AND id = ?");
  q.with(organization).with(e.id);
  if (!q.row()) return {};
  const auto type = static_cast<webhook::event_type>(q.number(0));
  if (!rules::same_event(e, type, q.text(1), q.text(2))) return {};
  return accepted::one{e.id, static_cast<std::uint64_t>(q.number(3)), true};
}

void insert_delivery(books& b, std::int64_t organization, const subscriber& to, std::int64_t event,
                     const new_event& e, const accept_events& r) {
  const auto id = b.new_id();
  sqlite::query(b.db,
                "INSERT INTO deliveries "
                "(id, organization, webhook, event, type, status, due, created) "
                "VALUES (?, ?, ?, ?, ?, 0, ?, ?)")
      .with(id)
      .with(organization)
      .with(to.number)
      .with(event)
      .with(static_cast<int>(e.type))
      .with(millis(r.due))
      .with(millis(r.now))
      .done();
  b.count(webhook::state::pending, 1);
}

/// Nothing: there is another event with this id.
std::optional<accepted::one> accept_one(books& b, std::int64_t organization,
                                        std::vector<subscriber>& to, const new_event& e,
                                        const accept_events& r) {
  const auto number_wanting =
      std::ranges::count_if(to, [&](const auto& s) { return rules::wants(s.events, e.type); });
  sqlite::query(b.db,
                "INSERT INTO events "
                "(organization, id, type, at, accepted, deliveries, body, fingerprint) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization, id) DO NOTHING")
      .with(organization)
      .with(e.id)
      .with(static_cast<int>(e.type))
      .with(millis(e.at))
      .with(millis(r.now))
      .with(number_wanting)
      .with_bytes(e.body)
      .with_bytes(e.fingerprint)
      .done();
  if (b.db.changed() == 0) return repeated(b, organization, e);
  const auto event = b.db.inserted();
  for (auto& s : to) {
    if (!rules::wants(s.events, e.type)) continue;
    insert_delivery(b, organization, s, event, e, r);
    s.has_more = true;
  }
  return accepted::one{e.id, static_cast<std::uint64_t>(number_wanting), false};
}

}  // namespace

answer perform(books& b, const accept_events& r) {
  if (auto why = rules::wrong(r)) return std::move(*why);
  const auto organization = organization_number(b, r.organization);
  auto to = subscribers(b, organization);
  accepted out;
  for (const auto& e : r.events) {
    auto one = accept_one(b, organization, to, e, r);
    if (b.db.failed()) return {};
    if (!one) return rules::another_event(e.id);
    out.events.push_back(std::move(*one));
  }
  for (auto& s : to)
    if (s.has_more) out.webhooks.push_back(std::move(s.id));
  return out;
}

answer perform(books& b, const create_webhook& r) {
  const auto& w = r.what;
  const auto organization = organization_number(b, w.organization);
  {
    sqlite::query q(b.db, "SELECT count(*) FROM webhooks WHERE organization = ? AND deleted = 0");
    q.with(organization);
    if (q.row() && q.number(0) >= static_cast<std::int64_t>(limits::ledger_webhooks))
      return rules::too_many_webhooks();
  }
  sqlite::query(b.db,
                "INSERT INTO webhooks (id, organization, events, url, description, why_not, "
                "secret, old_secret, old_secret_until, created, updated) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .with(w.id)
      .with(organization)
      .with(static_cast<int>(w.events))
      .with(w.url)
      .with(w.description)
      .with(static_cast<int>(w.why_not))
      .with(w.secret)
      .with(w.old_secret)
      .with(millis(w.old_secret_until))
      .with(millis(w.created))
      .with(millis(w.updated))
      .done();
  const auto made = find_webhook(b, w.organization, w.id);
  if (!made) return rules::no_such("webhook", w.id);
  return made->what;
}

}  // namespace gate::ledger
