// Owners of SQLite's objects: parameters, rows, failures that stay, what is undone.
#include "transport/ledger/sqlite.hpp"

#include <gtest/gtest.h>

#include "tests/transport/support/ledger_file.hpp"

namespace gate::sqlite {
namespace {

using testing::temporary_folder;

struct sqlite_file : ::testing::Test {
  sqlite_file() : db(make(folder.file("some.db"))) {
    EXPECT_TRUE(db.run("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT, b BLOB) STRICT"));
  }
  static std::string make(const std::string& path) {
    std::fclose(std::fopen(path.c_str(), "w"));
    return path;
  }
  std::int64_t rows() {
    query q(db, "SELECT count(*) FROM t");
    EXPECT_TRUE(q.row());
    return q.number(0);
  }
  void insert(int n) { query(db, "INSERT INTO t (n) VALUES (?)").with(n).done(); }

  temporary_folder folder;
  connection db;
};

TEST_F(sqlite_file, parameters_and_rows_are_bytes) {
  const std::string bytes("a\0\xff z", 5);
  const std::string nothing;
  EXPECT_TRUE(
      query(db, "INSERT INTO t VALUES (?, ?, ?)").with(7).with(nothing).with_bytes(bytes).done());
  EXPECT_EQ(db.changed(), 1);
  EXPECT_EQ(db.inserted(), 7);
  EXPECT_TRUE(query(db, "INSERT INTO t VALUES (?, ?, ?)")
                  .with(std::nullopt)
                  .with("x")
                  .with_bytes(nothing)
                  .done());
  query q(db, "SELECT n, s, b FROM t ORDER BY n");
  ASSERT_TRUE(q.row());
  EXPECT_EQ(q.maybe(0), 7);
  EXPECT_FALSE(q.null(1));
  EXPECT_EQ(q.text(1), "");
  EXPECT_EQ(q.text(2), bytes);
  ASSERT_TRUE(q.row());
  EXPECT_FALSE(q.null(2));
  EXPECT_FALSE(q.row());
  EXPECT_FALSE(db.failed());
}

TEST_F(sqlite_file, a_parameter_that_is_nothing_is_null) {
  EXPECT_TRUE(query(db, "INSERT INTO t (n, s) VALUES (?, ?)")
                  .with(1)
                  .with(std::optional<std::int64_t>())
                  .done());
  query q(db, "SELECT s FROM t");
  ASSERT_TRUE(q.row());
  EXPECT_TRUE(q.null(0));
  EXPECT_FALSE(q.maybe(0));
}

TEST_F(sqlite_file, the_first_failure_stays_until_it_is_taken) {
  insert(1);
  insert(1);
  ASSERT_TRUE(db.failed());
  insert(2);
  EXPECT_FALSE(db.run("DELETE FROM t"));
  const auto why = db.take_failure();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, SQLITE_CONSTRAINT_PRIMARYKEY);
  EXPECT_FALSE(why->of_storage());
  EXPECT_NE(why->what.find("some.db"), std::string::npos);
  EXPECT_FALSE(db.failed());
  EXPECT_EQ(rows(), 1);
}

TEST_F(sqlite_file, what_is_not_committed_is_undone) {
  {
    transaction all(db);
    insert(1);
  }
  EXPECT_EQ(rows(), 0);
  {
    transaction all(db);
    insert(1);
    EXPECT_TRUE(db.in_transaction());
    EXPECT_TRUE(all.commit());
  }
  EXPECT_FALSE(db.in_transaction());
  EXPECT_EQ(rows(), 1);
}

TEST_F(sqlite_file, a_savepoint_that_failed_takes_nothing_else_along) {
  transaction all(db);
  insert(1);
  {
    savepoint one(db);
    insert(2);
    insert(1);
  }
  EXPECT_TRUE(db.take_failure());
  {
    savepoint one(db);
    insert(3);
    one.keep();
  }
  EXPECT_TRUE(all.commit());
  EXPECT_EQ(rows(), 2);
}

TEST_F(sqlite_file, another_program_that_writes_is_waited_for_and_then_named) {
  connection other(db.path());
  transaction theirs(other);
  transaction ours(db);
  const auto why = db.take_failure();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code & 0xff, SQLITE_BUSY);
  EXPECT_TRUE(why->of_storage());
  EXPECT_NE(why->what.find("another program"), std::string::npos);
}

TEST(sqlite, a_file_that_is_not_there_is_not_made) {
  const temporary_folder folder;
  connection db(folder.file("none.db"));
  ASSERT_TRUE(db.failed());
  EXPECT_NE(db.what_failed()->what.find("can not be opened"), std::string::npos);
  query q(db, "SELECT 1");
  EXPECT_FALSE(q.row());
  EXPECT_FALSE(std::filesystem::exists(folder.file("none.db")));
}

}  // namespace
}  // namespace gate::sqlite
