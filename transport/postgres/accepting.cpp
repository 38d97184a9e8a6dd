/// Events come in, and become deliveries: those of all requests of a group at once.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "transport/postgres/books.hpp"

namespace gate::postgres {
namespace {

using rows::millis;

struct subscriber {
  std::int64_t number = 0;
  std::string id;
  webhook::event_mask events = 0;
};

/// Whose, and which.
using key = std::pair<std::int64_t, std::string_view>;

/// One of those that are asked for, and what is known of it.
struct offered {
  const new_event* event = nullptr;
  std::int64_t deliveries = 0;
  std::int64_t number = 0;               ///< as it was inserted; 0: it was not
  std::optional<std::size_t> same_as{};  ///< of those before it in the request
  bool repeated = false;
};

struct offer {
  asked_for<accept_events> asked;
  std::int64_t organization = 0;
  std::vector<offered> events;
  std::optional<refusal> refused;
};

using subscribers = std::map<std::int64_t, std::vector<subscriber>>;

/// They can not be removed before this transaction ends; deleted they may be.
subscribers subscribers_of(books& b, const std::vector<offer>& all) {
  std::set<std::int64_t> organizations;
  for (const auto& o : all) organizations.insert(o.organization);
  subscribers out;
  query q(b.db,
          "SELECT organization, number, id, events FROM webhooks WHERE organization = ANY(?) "
          "AND deleted = 0 AND why_not = 0 ORDER BY number FOR KEY SHARE");
  q.with_all(std::vector(organizations.begin(), organizations.end()));
  while (q.row())
    out[q.number(0)].push_back(
        {q.number(1), q.text(2), static_cast<webhook::event_mask>(q.number(3))});
  return out;
}

/// The request's events; the same twice is one, two with one id are none.
offer offer_of(const asked_for<accept_events>& a, std::int64_t organization) {
  offer out{a, organization, {}, {}};
  std::map<std::string_view, std::size_t> before;
  for (const auto& e : a.what->events) {
    offered one{&e};
    if (const auto [at, is_new] = before.emplace(e.id, out.events.size()); !is_new) {
      const auto& other = *out.events[at->second].event;
      if (!rules::same_event(e, other.type, other.body, other.fingerprint))
        out.refused = rules::another_event(e.id);
      one.same_as = at->second;
    }
    out.events.push_back(one);
  }
  return out;
}

/// Those to be inserted, in the order in which all instances insert.
std::vector<std::pair<key, offered*>> to_insert(std::vector<offer>& all) {
  std::vector<std::pair<key, offered*>> out;
  for (auto& o : all)
    for (auto& one : o.events)
      if (!o.refused && !one.same_as) out.emplace_back(key(o.organization, one.event->id), &one);
  std::ranges::sort(out, {}, [](const auto& x) { return x.first; });
  return out;
}

void insert_events(books& b, std::vector<offer>& all) {
  const auto sorted = to_insert(all);
  if (sorted.empty()) return;
  std::vector<std::int64_t> organizations, types, times, accepted_at, deliveries;
  std::vector<std::string_view> ids, bodies, fingerprints;
  std::map<key, offered*> by_key;
  std::map<const new_event*, wall_time> now;
  for (const auto& o : all)
    for (const auto& one : o.events) now[one.event] = o.asked.what->now;
  for (const auto& [k, one] : sorted) {
    by_key.emplace(k, one);
    organizations.push_back(k.first);
    ids.push_back(k.second);
    types.push_back(static_cast<std::int64_t>(one->event->type));
    times.push_back(millis(one->event->at));
    accepted_at.push_back(millis(now[one->event]));
    deliveries.push_back(one->deliveries);
    bodies.push_back(one->event->body);
    fingerprints.push_back(one->event->fingerprint);
  }
  query q(b.db,
          "INSERT INTO events (organization, id, type, at, accepted, deliveries, body, "
          "fingerprint) SELECT * FROM unnest(?::BIGINT[], ?::TEXT[], ?::BIGINT[], ?::BIGINT[], "
          "?::BIGINT[], ?::BIGINT[], ?::BYTEA[], ?::BYTEA[]) "
          "ON CONFLICT (organization, id) DO NOTHING RETURNING organization, id, number");
  q.with_all(organizations).with_all(ids).with_all(types).with_all(times).with_all(accepted_at);
  q.with_all(deliveries).with_all_bytes(bodies).with_all_bytes(fingerprints);
  while (q.row()) {
    const auto id = q.text(1);
    if (const auto found = by_key.find({q.number(0), id}); found != by_key.end())
      found->second->number = q.number(2);
  }
}

/// Those that were there before: they are the same, or their requests are refused.
void compare_others(books& b, std::vector<offer>& all) {
  std::vector<std::int64_t> organizations;
  std::vector<std::string_view> ids;
  std::map<key, std::pair<offer*, offered*>> missing;
  for (auto& o : all)
    for (auto& one : o.events)
      if (!o.refused && !one.same_as && one.number == 0) {
        organizations.push_back(o.organization);
        ids.push_back(one.event->id);
        missing.emplace(key(o.organization, one.event->id), std::pair(&o, &one));
      }
  if (missing.empty() || b.db.failed()) return;
  query q(b.db,
          "SELECT e.organization, e.id, e.type, e.body, e.fingerprint, e.deliveries "
          "FROM unnest(?::BIGINT[], ?::TEXT[]) AS t (organization, id) "
          "JOIN events e ON e.organization = t.organization AND e.id = t.id");
  q.with_all(organizations).with_all(ids);
  while (q.row()) {
    const auto id = q.text(1);
    const auto found = missing.find({q.number(0), id});
    if (found == missing.end()) continue;
    auto& [o, one] = found->second;
    const auto type = static_cast<webhook::event_type>(q.number(2));
    one->repeated = rules::same_event(*one->event, type, q.text(3), q.text(4));
    if (!one->repeated) o->refused = rules::another_event(id);
    one->deliveries = q.number(5);
    missing.erase(found);
  }
  // It was there, and has been removed meanwhile.
  if (!missing.empty() && !b.db.failed())
    b.db.fail({failure::kind::again, "an event was removed while it was accepted again"});
}

/// What refused requests have left.
void remove_refused(books& b, const std::vector<offer>& all) {
  std::vector<std::int64_t> numbers;
  for (const auto& o : all)
    for (const auto& one : o.events)
      if (o.refused && one.number != 0) numbers.push_back(one.number);
  if (!numbers.empty())
    query(b.db, "DELETE FROM events WHERE number = ANY(?)").with_all(numbers).done();
}

struct new_deliveries {
  std::vector<std::string> ids;
  std::vector<std::int64_t> organizations, webhooks, events, types, due, created;
};

void insert_deliveries(books& b, const new_deliveries& d) {
  if (d.ids.empty() || b.db.failed()) return;
  query q(b.db,
          "INSERT INTO deliveries (id, organization, webhook, event, type, status, due, created) "
          "SELECT id, organization, webhook, event, type, 0, due, created FROM unnest(?::TEXT[], "
          "?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[], ?::BIGINT[]) "
          "AS t (id, organization, webhook, event, type, due, created)");
  const std::vector<std::string_view> ids(d.ids.begin(), d.ids.end());
  q.with_all(ids).with_all(d.organizations).with_all(d.webhooks).with_all(d.events);
  q.with_all(d.types).with_all(d.due).with_all(d.created);
  q.done();
  b.count(webhook::state::pending, static_cast<std::int64_t>(d.ids.size()));
}

accepted accepted_of(books& b, const offer& o, const std::vector<subscriber>& to,
                     new_deliveries& d) {
  accepted out;
  std::vector<bool> has_more(to.size());
  for (const auto& one : o.events) {
    const auto& first = one.same_as ? o.events[*one.same_as] : one;
    out.events.push_back({one.event->id, static_cast<std::uint64_t>(first.deliveries),
                          one.same_as.has_value() || one.repeated});
    for (std::size_t i = 0; i < to.size() && one.number != 0; ++i) {
      if (!rules::wants(to[i].events, one.event->type)) continue;
      has_more[i] = true;
      d.ids.push_back(b.house.new_id());
      d.organizations.push_back(o.organization);
      d.webhooks.push_back(to[i].number);
      d.events.push_back(one.number);
      d.types.push_back(static_cast<std::int64_t>(one.event->type));
      d.due.push_back(millis(o.asked.what->due));
      d.created.push_back(millis(o.asked.what->now));
    }
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (has_more[i]) out.webhooks.push_back(to[i].id);
  return out;
}

/// No id is in two of them.
void accept_together(books& b, std::vector<offer>& all) {
  auto to = subscribers_of(b, all);
  for (auto& o : all)
    for (auto& one : o.events)
      one.deliveries = std::ranges::count_if(to[o.organization], [&](const auto& s) {
        return rules::wants(s.events, one.event->type);
      });
  insert_events(b, all);
  compare_others(b, all);
  remove_refused(b, all);
  new_deliveries d;
  for (auto& o : all) {
    if (o.refused)
      *o.asked.said = std::move(*o.refused);
    else
      *o.asked.said = accepted_of(b, o, to[o.organization], d);
  }
  insert_deliveries(b, d);
}

/// Those that make sense; the others are refused.
std::vector<offer> offers_of(books& b, const std::vector<asked_for<accept_events>>& all) {
  std::vector<std::string_view> names;
  std::vector<asked_for<accept_events>> sound;
  for (const auto& a : all) {
    if (auto why = rules::wrong(*a.what)) {
      *a.said = std::move(*why);
      continue;
    }
    sound.push_back(a);
    names.push_back(a.what->organization);
  }
  const auto organizations = b.organizations(names);
  std::vector<offer> out;
  for (std::size_t i = 0; i < sound.size(); ++i)
    out.push_back(offer_of(sound[i], organizations[i]));
  return out;
}

}  // namespace

void accept_all(books& b, const std::vector<asked_for<accept_events>>& all) {
  auto waiting = offers_of(b, all);
  // What another request has before is compared with it once that is decided.
  while (!waiting.empty() && !b.db.failed()) {
    std::vector<offer> now, later;
    std::set<key> taken_ids;
    for (auto& o : waiting) {
      const auto is_taken = [&](const offered& one) {
        return taken_ids.contains({o.organization, one.event->id});
      };
      const bool waits = std::ranges::any_of(o.events, is_taken);
      for (const auto& one : o.events) taken_ids.emplace(o.organization, one.event->id);
      (waits ? later : now).push_back(std::move(o));
    }
    accept_together(b, now);
    waiting = std::move(later);
  }
}

}  // namespace gate::postgres
