#include "transport/postgres/schema.hpp"

#include <array>

#include "protocol/limits/ledger.hpp"

namespace gate::postgres {
namespace {

/// As in SQLite: rows refer to each other by number, times are milliseconds of Unix time,
/// enumerators are numbers. `due` is set if and only if the delivery waits, `lease_until` if and
/// only if somebody has a lease.
///
/// What is different has to do with many who write at the same time. What each attempt changes of a
/// webhook is a row of its own (webhook_stats), so that accepting events, which locks webhooks
/// against being removed, waits for none. Deliveries by state are counted in many rows, of which
/// each connection has one. The large tables refer to each other without FOREIGN KEY, which would
/// lock the row referred to once for each that is written; those who remove rows lock in their
/// order instead (upkeep.cpp). Texts are compared by their bytes.
constexpr const char* first = R"(
CREATE TABLE organizations (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE webhooks (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  organization BIGINT NOT NULL REFERENCES organizations,
  events INTEGER NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  why_not INTEGER NOT NULL CHECK (why_not BETWEEN 0 AND 3),
  secret TEXT NOT NULL,
  old_secret TEXT NOT NULL,
  old_secret_until BIGINT NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX webhooks_of ON webhooks (organization, number) WHERE deleted = 0;
CREATE INDEX webhooks_deleted ON webhooks (number) WHERE deleted = 1;

CREATE TABLE webhook_stats (
  webhook BIGINT PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
  failing_since BIGINT,
  succeeded BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  last_status INTEGER NOT NULL DEFAULT 0,
  last_at BIGINT
) WITH (fillfactor = 50);

CREATE VIEW known_webhooks AS
  SELECT w.number, w.id, w.organization, w.events, w.url, w.description, w.why_not, w.secret,
    w.old_secret, w.old_secret_until, w.created, w.updated, s.failing_since, s.succeeded, s.failed,
    s.last_status, s.last_at
  FROM webhooks w JOIN webhook_stats s ON s.webhook = w.number WHERE w.deleted = 0;

CREATE TABLE events (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
  at BIGINT NOT NULL,
  accepted BIGINT NOT NULL,
  deliveries BIGINT NOT NULL,
  body BYTEA NOT NULL,
  fingerprint BYTEA NOT NULL,
  UNIQUE (organization, id)
);
CREATE INDEX events_unwanted ON events (accepted) WHERE deliveries = 0;

CREATE TABLE deliveries (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  organization BIGINT NOT NULL,
  webhook BIGINT NOT NULL,
  event BIGINT NOT NULL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 4),
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 4),
  attempts BIGINT NOT NULL DEFAULT 0,
  code INTEGER NOT NULL DEFAULT 0,
  due BIGINT,
  lease TEXT COLLATE "C",
  lease_until BIGINT,
  created BIGINT NOT NULL,
  finished BIGINT,
  first_failed BIGINT,
  last_failed BIGINT,
  error TEXT NOT NULL DEFAULT '',
  answer BYTEA NOT NULL DEFAULT ''
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
CREATE INDEX deliveries_of_event ON deliveries (event);
CREATE INDEX deliveries_due ON deliveries (webhook, due, number) WHERE due IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_finished ON deliveries (status, finished) WHERE finished IS NOT NULL;
CREATE INDEX dead_of_organization ON deliveries (organization, number) WHERE status = 4;
CREATE INDEX dead_counted ON deliveries (organization, finished, type, webhook)
  WHERE status = 4;
CREATE INDEX dead_of_webhook ON deliveries (webhook, number) WHERE status = 4;

CREATE TABLE attempts (
  delivery BIGINT NOT NULL,
  n BIGINT NOT NULL,
  at BIGINT NOT NULL,
  took BIGINT NOT NULL,
  code INTEGER NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (delivery, n)
);

CREATE TABLE counts (
  slot BIGINT PRIMARY KEY,
  pending BIGINT NOT NULL DEFAULT 0,
  delivering BIGINT NOT NULL DEFAULT 0,
  succeeded BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  dead BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
)";

constexpr std::array<const char*, 1> all_steps{first};

/// "GtHk": nobody else locks this.
constexpr const char* lock = "SELECT pg_advisory_xact_lock(1198803051)";

std::int64_t number_of_first(connection& db, std::string_view sql) {
  query q(db, sql);
  return q.row() ? q.number(0) : 0;
}

failure not_to_be_used(const connection& db, const std::string& why) {
  return {failure::kind::unavailable, db.name() + " " + why};
}

/// -1: there is another program's schema of this name; 0: there are no tables yet.
std::int64_t version_of(connection& db) {
  const auto tables = number_of_first(
      db, "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('gate_hooks')::oid");
  const auto ours = number_of_first(
      db,
      "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('gate_hooks')::oid "
      "AND relname = 'schema_versions'");
  if (db.failed() || tables == 0) return 0;
  if (ours == 0) return -1;
  return number_of_first(db, "SELECT coalesce(max(version), 0) FROM gate_hooks.schema_versions");
}

std::optional<failure> wrong_version(const connection& db, std::int64_t version,
                                     std::size_t latest) {
  if (version < 0)
    return not_to_be_used(db,
                          "has a schema gate_hooks of another program; nothing is written over");
  if (version <= static_cast<std::int64_t>(latest)) return {};
  return not_to_be_used(db, "has tables of version " + std::to_string(version) +
                                ", and this program knows " + std::to_string(latest) +
                                "; nothing was changed: use the later program");
}

void make_schema(connection& db) {
  // Whoever may not make schemas has had it made.
  if (number_of_first(db, "SELECT count(*) FROM pg_namespace WHERE nspname = 'gate_hooks'") == 0)
    db.run("CREATE SCHEMA gate_hooks");
  db.run(
      "CREATE TABLE gate_hooks.schema_versions (version BIGINT PRIMARY KEY, at BIGINT NOT NULL)");
}

/// The next step, if there is one.
bool take_step(connection& db, std::span<const char* const> steps, std::int64_t now,
               std::optional<failure>& why) {
  db.run("BEGIN");
  db.run("SET LOCAL statement_timeout TO 0; SET LOCAL lock_timeout TO 0");
  db.run(lock);
  const auto version = version_of(db);
  if (!db.failed()) why = wrong_version(db, version, steps.size());
  const bool is_latest = version == static_cast<std::int64_t>(steps.size());
  if (db.failed() || why || is_latest) return false;
  if (version == 0) make_schema(db);
  db.run(steps[static_cast<std::size_t>(version)]);
  query(db, "INSERT INTO gate_hooks.schema_versions VALUES (?, ?)")
      .with(version + 1)
      .with(now)
      .done();
  return db.commit();
}

}  // namespace

std::span<const char* const> schema_steps() {
  return all_steps;
}

std::optional<failure> migrate(connection& db, std::span<const char* const> steps,
                               std::int64_t now) {
  std::optional<failure> why;
  db.be_patient(limits::ledger_migration);
  while (take_step(db, steps, now, why)) {
  }
  db.roll_back();
  db.be_patient(limits::ledger_answer);
  return db.failed() ? db.take_failure() : why;
}

std::optional<failure> unusable(connection& db, std::size_t latest) {
  const auto version = version_of(db);
  if (db.failed()) return db.take_failure();
  if (version >= 0 && version < static_cast<std::int64_t>(latest))
    return not_to_be_used(db, "has not the tables of this program; start it again");
  return wrong_version(db, version, latest);
}

}  // namespace gate::postgres
