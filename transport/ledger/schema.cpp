#include "transport/ledger/schema.hpp"

#include <array>

namespace gate::ledger {
namespace {

/// "GtHk", in the header of the file: another program's database is not taken for ours.
constexpr std::int64_t application = 0x4774486b;
constexpr const char* mark_as_ours = "PRAGMA application_id = 1198803051";
static_assert(application == 1198803051);

/// Rows refer to each other by number: ids are six times as long, and indexes are most of the file.
/// Times are milliseconds of Unix time; enumerators are numbers as protocol/webhook/records.hpp has
/// them. `due` is set if and only if the delivery waits, `lease_until` if and only if somebody has
/// a lease. The partial indexes of dead letters cost nothing while there are none.
constexpr const char* first = R"(
CREATE TABLE organizations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE webhooks (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization INTEGER NOT NULL REFERENCES organizations,
  events INTEGER NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  why_not INTEGER NOT NULL CHECK (why_not BETWEEN 0 AND 3),
  secret TEXT NOT NULL,
  old_secret TEXT NOT NULL,
  old_secret_until INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  failing_since INTEGER,
  succeeded INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER NOT NULL DEFAULT 0,
  last_at INTEGER,
  deleted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhooks_of ON webhooks (organization) WHERE deleted = 0;
CREATE INDEX webhooks_deleted ON webhooks (deleted) WHERE deleted = 1;

CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  organization INTEGER NOT NULL REFERENCES organizations,
  id TEXT NOT NULL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
  at INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  deliveries INTEGER NOT NULL,
  body BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  UNIQUE (organization, id)
) STRICT;
CREATE INDEX events_unwanted ON events (accepted) WHERE deliveries = 0;

CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organization INTEGER NOT NULL REFERENCES organizations,
  webhook INTEGER NOT NULL REFERENCES webhooks,
  event INTEGER NOT NULL REFERENCES events,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 4),
  attempts INTEGER NOT NULL DEFAULT 0,
  code INTEGER NOT NULL DEFAULT 0,
  due INTEGER,
  lease TEXT,
  lease_until INTEGER,
  created INTEGER NOT NULL,
  finished INTEGER,
  first_failed INTEGER,
  last_failed INTEGER,
  error TEXT NOT NULL DEFAULT '',
  answer BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook);
CREATE INDEX deliveries_of_event ON deliveries (event);
CREATE INDEX deliveries_due ON deliveries (webhook, due) WHERE due IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_finished ON deliveries (status, finished) WHERE finished IS NOT NULL;
CREATE INDEX dead_of_organization ON deliveries (organization) WHERE status = 4;
CREATE INDEX dead_counted ON deliveries (organization, finished, type, webhook)
  WHERE status = 4;
CREATE INDEX dead_of_webhook ON deliveries (webhook) WHERE status = 4;

CREATE TABLE attempts (
  delivery INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  took INTEGER NOT NULL,
  code INTEGER NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (delivery, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE counts (
  status INTEGER PRIMARY KEY,
  deliveries INTEGER NOT NULL
) STRICT;
INSERT INTO counts VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0);
)";

constexpr std::array<const char*, 1> all_steps{first};

std::int64_t number_of(sqlite::connection& db, std::string_view sql) {
  sqlite::query q(db, sql);
  return q.row() ? q.number(0) : 0;
}

std::string sentence_of(sqlite::connection& db) {
  return db.take_failure()->what;
}

/// Nothing if it is empty, or has our mark.
std::optional<std::string> foreign(sqlite::connection& db) {
  const auto mark = number_of(db, "PRAGMA application_id");
  const auto tables = number_of(db, "SELECT count(*) FROM sqlite_schema");
  if (db.failed()) return sentence_of(db);
  if (mark == application || (mark == 0 && tables == 0)) return {};
  return db.path() +
         " is a database of another program; nothing is written over: give another file";
}

/// 0: it has no tables yet, or their making was cut short.
std::int64_t version_of(sqlite::connection& db) {
  const bool there =
      number_of(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_versions'") > 0;
  return there ? number_of(db, "SELECT max(version) FROM schema_versions") : 0;
}

bool make_table_of_versions(sqlite::connection& db) {
  sqlite::transaction all(db);
  db.run(mark_as_ours);
  db.run(
      "CREATE TABLE IF NOT EXISTS schema_versions "
      "(version INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT");
  return all.commit();
}

bool take_step(sqlite::connection& db, const char* sql, std::int64_t version, std::int64_t now) {
  sqlite::transaction all(db);
  db.run(sql);
  sqlite::query(db, "INSERT INTO schema_versions VALUES (?, ?)").with(version).with(now).done();
  return all.commit();
}

}  // namespace

std::span<const char* const> schema_steps() {
  return all_steps;
}

std::optional<std::string> unusable(sqlite::connection& db, std::size_t latest) {
  if (auto why = foreign(db)) return why;
  const auto version = version_of(db);
  if (db.failed()) return sentence_of(db);
  if (version <= static_cast<std::int64_t>(latest)) return {};
  return db.path() + " is of version " + std::to_string(version) + ", and this program knows " +
         std::to_string(latest) + "; nothing was changed: use the later program";
}

std::optional<std::string> migrate(sqlite::connection& db, std::span<const char* const> steps,
                                   std::int64_t now) {
  if (auto why = unusable(db, steps.size())) return why;
  auto version = version_of(db);
  if (version == 0) make_table_of_versions(db);
  if (db.failed()) return sentence_of(db);
  const auto latest = static_cast<std::int64_t>(steps.size());
  for (; version < latest; ++version)
    if (!take_step(db, steps[static_cast<std::size_t>(version)], version + 1, now))
      return "version " + std::to_string(version + 1) +
             " of the tables can not be made: " + sentence_of(db);
  return {};
}

}  // namespace gate::ledger
