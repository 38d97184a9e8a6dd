#pragma once
/// libpq with owners, time limits and without exceptions: a connection, its statements. For one
/// thread, which waits: as transport/ledger/sqlite.hpp, whose ways these are.
///
/// The first failure of a connection stays until somebody takes it: until then statements do
/// nothing, and rows are none. So whoever does several things looks once, at the end; but a row
/// that is not there proves nothing before that look.
#include <libpq-fe.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/postgres/address.hpp"
#include "transport/postgres/failure.hpp"
#include "transport/postgres/parameters.hpp"

namespace gate::postgres {

using rows_of = std::unique_ptr<PGresult, decltype(&PQclear)>;

class connection {
 public:
  /// Not yet connected. `stop` is a descriptor that is readable once nobody wants to wait for a
  /// connection any more, or -1.
  explicit connection(const address& to, int stop = -1) : to_(to), stop_(stop) {}
  ~connection() { close(); }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Anew, within `limits::ledger_connect`; false: `failed` says why.
  bool connect();
  void close();
  bool connected() const { return handle_ != nullptr && PQstatus(handle_) == CONNECTION_OK; }

  /// Statements without parameters and rows, separated by semicolons.
  bool run(const char* sql);
  /// True: it is durable. False: it was undone, or it is unknown (then `failed` is of kind `lost`).
  bool commit();
  /// What there is of a transaction is undone, whatever has failed before.
  void roll_back();

  bool failed() const { return failure_.has_value(); }
  const std::optional<failure>& what_failed() const { return failure_; }
  std::optional<failure> take_failure() { return std::exchange(failure_, std::nullopt); }
  void fail(failure f);

  /// How long an answer is waited for from now on.
  void be_patient(std::chrono::milliseconds how_long) { patience_ = how_long; }
  const std::string& name() const { return to_.name(); }

 private:
  friend class query;
  using time_point = std::chrono::steady_clock::time_point;

  /// The name of the statement of this text; empty: failed.
  std::string prepared(std::string_view sql, const parameters& with);
  rows_of answer();
  PGresult* next_result(time_point by);
  bool wait(short events, time_point by);
  void check(const PGresult* r);
  void break_off(std::string_view why);

  const address& to_;
  int stop_ = -1;
  PGconn* handle_ = nullptr;
  std::optional<failure> failure_;
  std::map<std::string, std::string, std::less<>> statements_;
  std::chrono::milliseconds patience_{};
};

/// One run of a statement, which is prepared once for each connection: parameters in their order,
/// each a `?` in it, then its rows. Texts of parameters must outlive it.
class query {
 public:
  /// `sql` is a constant of the program: each text is prepared once, and stays.
  query(connection& on, std::string_view sql) : on_(on), sql_(sql) {}
  query(const query&) = delete;
  query& operator=(const query&) = delete;

  query& with(std::integral auto n) {
    return given().add_number(static_cast<std::int64_t>(n)), *this;
  }
  query& with(std::optional<std::int64_t> n) { return n ? with(*n) : (given().add_null(), *this); }
  /// UTF-8 without zeros.
  query& with(std::string_view text) { return given().add_view(text, type::text), *this; }
  query& with_bytes(std::string_view bytes) { return given().add_view(bytes, type::bytes), *this; }
  /// As an array.
  query& with_all(const std::vector<std::int64_t>& n) {
    return given().add_numbers(std::span(n)), *this;
  }
  query& with_all(const std::vector<std::optional<std::int64_t>>& n) {
    return given().add_numbers(std::span(n)), *this;
  }
  query& with_all(const std::vector<std::string_view>& texts) {
    return given().add_views(texts, type::text), *this;
  }
  query& with_all_bytes(const std::vector<std::string_view>& bytes) {
    return given().add_views(bytes, type::bytes), *this;
  }

  /// The next row; false: there is none, or it has failed.
  bool row();
  /// To its end; false if it has failed.
  bool done();
  /// Rows that it has touched.
  std::int64_t changed();

  std::int64_t number(int column) const { return number_of(bytes(column)); }
  std::string text(int column) const { return std::string(bytes(column)); }
  bool null(int column) const { return PQgetisnull(rows_.get(), row_, column) != 0; }
  std::optional<std::int64_t> maybe(int column) const {
    return null(column) ? std::nullopt : std::optional(number(column));
  }

 private:
  parameters& given() { return given_; }
  std::string_view bytes(int column) const;
  void ask();

  connection& on_;
  std::string_view sql_;
  parameters given_;
  rows_of rows_{nullptr, &PQclear};
  bool asked_ = false;
  int row_ = -1;
};

}  // namespace gate::postgres
