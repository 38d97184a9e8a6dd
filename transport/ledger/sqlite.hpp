#pragma once
/// SQLite's C API with owners and without exceptions: a connection, its statements, transactions.
/// For one thread at a time.
///
/// The first failure of a connection stays until somebody takes it: until then statements do
/// nothing, and rows are none. So whoever does several things looks once, at the end; but a row
/// that is not there proves nothing before that look.
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::sqlite {

struct failure {
  int code = 0;      ///< SQLite's, extended
  std::string what;  ///< a sentence: what, where, and what to do if that is known

  /// The storage failed, not the statement: what is right now may be right later.
  bool of_storage() const;
};

class connection {
 public:
  /// Opens the file, which exists; `failed` says if that went wrong. `path` is named in sentences.
  explicit connection(std::string path);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Statements without parameters and rows, separated by semicolons.
  bool run(const char* sql);

  bool failed() const { return failure_.has_value(); }
  const std::optional<failure>& what_failed() const { return failure_; }
  std::optional<failure> take_failure() { return std::exchange(failure_, std::nullopt); }

  /// Rows that the last writing statement has touched.
  std::int64_t changed() const { return sqlite3_changes64(handle_); }
  /// The number of the row that was inserted last.
  std::int64_t inserted() const { return sqlite3_last_insert_rowid(handle_); }
  /// SQLite undoes a transaction itself after some failures.
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  const std::string& path() const { return path_; }
  /// Statements that have read a table from one end to the other: what tests look at.
  std::vector<std::string> full_scans() const;

 private:
  friend class query;
  friend class transaction;
  friend class savepoint;

  sqlite3_stmt* prepared(std::string_view sql);
  void fail(int code);
  /// Whatever has failed before.
  bool run_anyway(const char* sql);

  std::string path_;
  sqlite3* handle_ = nullptr;
  std::optional<failure> failure_;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// One run of a statement, which is prepared once for each connection: parameters in their order,
/// then its rows. Texts of parameters must outlive it; those of a row are copied out. One run of a
/// statement at a time.
class query {
 public:
  /// `sql` is a constant of the program: each text is prepared once, and stays.
  query(connection& on, std::string_view sql);
  ~query();
  query(const query&) = delete;
  query& operator=(const query&) = delete;

  query& with(std::integral auto n) { return with_number(static_cast<std::int64_t>(n)); }
  query& with(std::optional<std::int64_t> n) { return n ? with_number(*n) : skip(); }
  /// UTF-8.
  query& with(std::string_view text);
  query& with_bytes(std::string_view bytes);

  /// The next row; false: there is none, or it has failed.
  bool row();
  /// To its end; false if it has failed.
  bool done();

  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const;
  bool null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::optional<std::int64_t> maybe(int column) const {
    return null(column) ? std::nullopt : std::optional(number(column));
  }

 private:
  query& with_number(std::int64_t n);
  query& skip();
  void check(int code);

  connection& on_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;  ///< parameter
};

/// All or nothing: what is not committed is undone at the end. Takes the right to write at once.
class transaction {
 public:
  explicit transaction(connection& on);
  ~transaction();
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  /// True: it is durable.
  bool commit();

 private:
  connection& on_;
  bool open_ = false;
};

/// The same within a transaction.
class savepoint {
 public:
  explicit savepoint(connection& on);
  ~savepoint();
  savepoint(const savepoint&) = delete;
  savepoint& operator=(const savepoint&) = delete;

  void keep();

 private:
  connection& on_;
  bool open_ = false;
};

}  // namespace gate::sqlite
