// The tables of LEDGER's file: how they come about, and which files are not touched.
#include "transport/ledger/schema.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "tests/transport/support/ledger_file.hpp"

namespace gate::ledger {
namespace {

using testing::at;
using steps = std::vector<const char*>;

steps known() {
  return {schema_steps().begin(), schema_steps().end()};
}
steps with(const char* later) {
  auto out = known();
  out.push_back(later);
  return out;
}
constexpr const char* later_step = "ALTER TABLE webhooks ADD COLUMN colour TEXT";

std::string all_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct ledger_schema : ::testing::Test {
  testing::temporary_folder folder;
  const std::string path = folder.file("hooks.db");

  std::int64_t number(const char* sql) {
    sqlite::connection db(path);
    sqlite::query q(db, sql);
    EXPECT_TRUE(q.row()) << sql;
    return q.number(0);
  }
  std::int64_t version() { return number("SELECT max(version) FROM schema_versions"); }
  /// What was wrong.
  std::string open(const steps& s) {
    const auto file = database_file::open(path, at(0), s);
    return file ? "" : file.error().what;
  }
};

TEST_F(ledger_schema, a_new_file_has_the_latest_version) {
  EXPECT_EQ(open(known()), "");
  EXPECT_EQ(version(), static_cast<std::int64_t>(known().size()));
  EXPECT_EQ(number("SELECT at FROM schema_versions"), at(0).time_since_epoch().count());
  EXPECT_EQ(open(known()), "");
  EXPECT_EQ(number("SELECT count(*) FROM schema_versions"),
            static_cast<std::int64_t>(known().size()));
}

TEST_F(ledger_schema, an_older_file_is_brought_up_and_keeps_what_it_has) {
  ASSERT_EQ(open(known()), "");
  {
    sqlite::connection db(path);
    ASSERT_TRUE(db.run("INSERT INTO organizations VALUES (7, 'acme')"));
  }
  EXPECT_EQ(open(with(later_step)), "");
  EXPECT_EQ(version(), static_cast<std::int64_t>(known().size() + 1));
  EXPECT_EQ(number("SELECT number FROM organizations WHERE name = 'acme'"), 7);
  EXPECT_EQ(number("SELECT count(colour) FROM webhooks"), 0);
}

TEST_F(ledger_schema, a_step_that_is_cut_short_leaves_the_version_before) {
  ASSERT_EQ(open(known()), "");
  const auto why = open(with("CREATE TABLE half (n INTEGER) STRICT; CREATE TABLE half (n)"));
  EXPECT_NE(why.find("can not be made"), std::string::npos) << why;
  EXPECT_EQ(version(), static_cast<std::int64_t>(known().size()));
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0);
  EXPECT_EQ(open(with(later_step)), "");
}

TEST_F(ledger_schema, a_later_file_is_refused_as_it_is) {
  ASSERT_EQ(open(with(later_step)), "");
  const auto before = all_of(path);
  const auto why = open(known());
  EXPECT_NE(why.find("use the later program"), std::string::npos) << why;
  EXPECT_EQ(all_of(path), before);
}

TEST_F(ledger_schema, a_database_of_another_program_is_refused_as_it_is) {
  {
    std::fclose(std::fopen(path.c_str(), "w"));
    sqlite::connection db(path);
    ASSERT_TRUE(db.run("CREATE TABLE theirs (n INTEGER)"));
  }
  const auto before = all_of(path);
  const auto why = open(known());
  EXPECT_NE(why.find("another program"), std::string::npos) << why;
  EXPECT_EQ(all_of(path), before);
}

TEST_F(ledger_schema, tables_take_only_what_they_are_for) {
  ASSERT_EQ(open(known()), "");
  EXPECT_EQ(number("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
                   "name NOT LIKE 'sqlite_%' AND strict = 0"),
            0);
}

}  // namespace
}  // namespace gate::ledger
