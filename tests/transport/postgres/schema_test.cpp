// The tables in PostgreSQL: made once, by one at a time, and nobody else's are touched.
#include "transport/postgres/schema.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/transport/postgres/server.hpp"

namespace gate::postgres {
namespace {

using testing::postgres_server;

struct tables : ::testing::Test {
  tables() { EXPECT_TRUE(db.connect()) << db.what_failed()->what; }
  std::string migrate_to(std::span<const char* const> steps) {
    const auto f = migrate(db, steps, 7);
    return f ? f->what : "";
  }
  std::int64_t number(const std::string& sql) { return postgres_server::number(url, sql); }

  const std::string url = postgres_server::get().new_database();
  const address to = address::parse(url).value();
  connection db{to};
};

TEST_F(tables, are_made_once_and_say_their_version) {
  EXPECT_NE(unusable(db, 1)->what.find("start it again"), std::string::npos);
  EXPECT_EQ(migrate_to(schema_steps()), "");
  EXPECT_EQ(migrate_to(schema_steps()), "");
  EXPECT_EQ(number("SELECT max(version) FROM gate_hooks.schema_versions"),
            static_cast<std::int64_t>(schema_steps().size()));
  EXPECT_EQ(number("SELECT max(at) FROM gate_hooks.schema_versions"), 7);
  EXPECT_FALSE(unusable(db, schema_steps().size()));
}

TEST_F(tables, several_who_make_them_at_once_take_turns) {
  std::vector<std::thread> all;
  std::array<std::string, 6> said;
  for (auto& mine : said)
    all.emplace_back([&mine, this] {
      connection other(to);
      if (!other.connect()) mine = other.what_failed()->what;
      if (const auto f = migrate(other, schema_steps(), 1)) mine = f->what;
    });
  for (auto& t : all) t.join();
  for (const auto& s : said) EXPECT_EQ(s, "");
  EXPECT_EQ(number("SELECT count(*) FROM gate_hooks.schema_versions"),
            static_cast<std::int64_t>(schema_steps().size()));
}

TEST_F(tables, a_step_that_fails_leaves_what_was) {
  const std::array steps{"CREATE TABLE one (n INT)", "CREATE TABLE two (n INT); SELECT nonsense"};
  const auto said = migrate_to(steps);
  EXPECT_NE(said.find("nonsense"), std::string::npos) << said;
  EXPECT_EQ(number("SELECT max(version) FROM gate_hooks.schema_versions"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM pg_class WHERE relname = 'two'"), 0);
  const std::array better{steps[0], "CREATE TABLE two (n INT)"};
  EXPECT_EQ(migrate_to(better), "");
  EXPECT_EQ(number("SELECT max(version) FROM gate_hooks.schema_versions"), 2);
}

TEST_F(tables, of_a_later_version_are_left_alone) {
  const std::array later{schema_steps()[0], "CREATE TABLE more (n INT)"};
  EXPECT_EQ(migrate_to(later), "");
  const auto said = migrate_to(schema_steps());
  EXPECT_NE(said.find("use the later program"), std::string::npos) << said;
  EXPECT_NE(unusable(db, 1)->what.find("use the later program"), std::string::npos);
}

TEST_F(tables, of_another_program_are_left_alone) {
  postgres_server::run(url, "CREATE SCHEMA gate_hooks; CREATE TABLE gate_hooks.events (n INT)");
  const auto said = migrate_to(schema_steps());
  EXPECT_NE(said.find("of another program; nothing is written over"), std::string::npos) << said;
  EXPECT_EQ(number("SELECT count(*) FROM pg_class WHERE relname = 'webhooks'"), 0);
}

TEST_F(tables, who_may_not_make_a_schema_uses_one_that_was_made) {
  postgres_server::run(url, "DROP ROLE IF EXISTS modest; CREATE ROLE modest LOGIN");
  auto of_modest = url;
  of_modest.replace(of_modest.find("gate@"), 5, "modest@");
  const auto there = address::parse(of_modest).value();
  connection modest(there);
  ASSERT_TRUE(modest.connect());
  const auto said = migrate(modest, schema_steps(), 1);
  ASSERT_TRUE(said);
  EXPECT_NE(said->what.find("more rights"), std::string::npos) << said->what;
  postgres_server::run(url, "CREATE SCHEMA gate_hooks AUTHORIZATION modest");
  EXPECT_FALSE(migrate(modest, schema_steps(), 1));
  postgres_server::run(url, "DROP OWNED BY modest");
}

}  // namespace
}  // namespace gate::postgres
