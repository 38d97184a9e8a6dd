#include "transport/ledger/sqlite.hpp"

#include <cstring>

#include "protocol/limits/ledger.hpp"

namespace gate::sqlite {
namespace {

std::string sentence_for(int code, const std::string& path, const std::string& detail) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "there is no room to write " + path + " (" + detail +
             "); what was accepted before is kept, and it goes on when there is room";
    case SQLITE_READONLY:
      return path + " can not be written (" + detail +
             "); check the rights of the file and its folder, and whether the disk is read-only";
    case SQLITE_CANTOPEN:
      return path + " can not be opened (" + detail +
             "); check that its folder exists, and its rights";
    case SQLITE_IOERR:
      return path + " could not be read or written (" + detail +
             "); look at the disk, its room and the system's log";
    case SQLITE_CORRUPT:
      return path + " is damaged (" + detail +
             "); nothing is written over: restore a copy, or give another file";
    case SQLITE_NOTADB:
      return path + " is no SQLite database; nothing is written over: give another file";
    case SQLITE_BUSY:
      return "another program keeps " + path + " from being written (" + detail + "); end it";
    default:
      return path + ": " + detail;
  }
}

}  // namespace

bool failure::of_storage() const {
  return (code & 0xff) != SQLITE_CONSTRAINT;
}

connection::connection(std::string path) : path_(std::move(path)) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr);
  if (code == SQLITE_OK)
    sqlite3_busy_timeout(handle_, static_cast<int>(limits::ledger_busy.count()));
  else
    fail(code);
}

connection::~connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

bool connection::run(const char* sql) {
  return !failed() && run_anyway(sql);
}

bool connection::run_anyway(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
  return code == SQLITE_OK;
}

void connection::fail(int code) {
  if (failure_) return;
  std::string detail = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  const int system = handle_ == nullptr ? 0 : sqlite3_system_errno(handle_);
  const int kind = code & 0xff;
  if (system != 0 && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN))
    detail += std::string(": ") + std::strerror(system);
  failure_ = failure{code, sentence_for(code, path_, detail)};
}

sqlite3_stmt* connection::prepared(std::string_view sql) {
  if (const auto it = statements_.find(sql); it != statements_.end()) return it->second;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return fail(code), nullptr;
  return statements_.emplace(sql, statement).first->second;
}

std::vector<std::string> connection::full_scans() const {
  std::vector<std::string> out;
  for (const auto& [sql, statement] : statements_)
    if (sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) > 0) out.push_back(sql);
  return out;
}

query::query(connection& on, std::string_view sql) : on_(on) {
  if (!on_.failed()) statement_ = on_.prepared(sql);
}

query::~query() {
  if (statement_ == nullptr) return;
  // What it says was said by the last step.
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void query::check(int code) {
  if (code != SQLITE_OK) on_.fail(code);
}

query& query::with_number(std::int64_t n) {
  if (statement_ != nullptr) check(sqlite3_bind_int64(statement_, next_++, n));
  return *this;
}

query& query::skip() {
  ++next_;
  return *this;
}

query& query::with(std::string_view text) {
  if (statement_ == nullptr) return *this;
  // A view of nothing may have no address, which would be NULL.
  const char* from = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_, next_++, from, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

query& query::with_bytes(std::string_view bytes) {
  if (statement_ == nullptr) return *this;
  const char* from = bytes.empty() ? "" : bytes.data();
  check(sqlite3_bind_blob64(statement_, next_++, from, bytes.size(), SQLITE_STATIC));
  return *this;
}

bool query::row() {
  if (statement_ == nullptr || on_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) on_.fail(code);
  return false;
}

bool query::done() {
  while (row()) {
  }
  return !on_.failed();
}

std::string query::text(int column) const {
  const auto* from = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = sqlite3_column_bytes(statement_, column);
  return from == nullptr ? std::string() : std::string(from, static_cast<std::size_t>(size));
}

// (As statements that are prepared once: each is run for every change.)
transaction::transaction(connection& on) : on_(on), open_(query(on, "BEGIN IMMEDIATE").done()) {}

transaction::~transaction() {
  // What fails here was undone already.
  if (open_ && on_.in_transaction()) on_.run_anyway("ROLLBACK");
}

bool transaction::commit() {
  if (!open_ || on_.failed() || !query(on_, "COMMIT").done()) return false;
  open_ = false;
  return true;
}

savepoint::savepoint(connection& on) : on_(on), open_(query(on, "SAVEPOINT one").done()) {}

savepoint::~savepoint() {
  if (open_ && on_.in_transaction()) on_.run_anyway("ROLLBACK TO one; RELEASE one");
}

void savepoint::keep() {
  if (open_ && query(on_, "RELEASE one").done()) open_ = false;
}

}  // namespace gate::sqlite
