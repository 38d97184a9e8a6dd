// What was said to be durable is there after a kill -9 at any instant, once.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "tests/transport/support/ledger_child.hpp"
#include "tests/transport/support/ledger_file.hpp"

namespace gate::ledger {
namespace {

using testing::at;
using testing::ledger_child;

struct on_disk {
  std::int64_t deliveries = 0;
  webhook::state status = webhook::state::pending;
};

std::map<std::string, on_disk> read_all(sqlite::connection& db) {
  std::map<std::string, on_disk> out;
  sqlite::query q(db,
                  "SELECT e.id, count(d.number), max(d.status) FROM events e "
                  "LEFT JOIN deliveries d ON d.event = e.number GROUP BY e.number");
  while (q.row()) {
    const auto once =
        out.emplace(q.text(0), on_disk{q.number(1), static_cast<webhook::state>(q.number(2))});
    EXPECT_TRUE(once.second) << q.text(0) << " is there twice";
  }
  EXPECT_FALSE(db.failed()) << db.what_failed()->what;
  return out;
}

std::string text_of(sqlite::connection& db, const char* sql) {
  sqlite::query q(db, sql);
  return q.row() ? q.text(0) : "nothing";
}

TEST(durability, what_was_told_survives_kill_9) {
  const testing::temporary_folder folder;
  const auto path = folder.file("hooks.db");
  std::mt19937 dice(20261125);
  std::set<std::string> accepted, delivered;
  for (int round = 0; round < 50; ++round) {
    {
      ledger_child child({"work", path, std::to_string(round)});
      // The instant is drawn; what it says between our last look and its death counts as well.
      auto lines = std::uniform_int_distribution<int>(1, 120)(dice);
      const auto take = [&](const std::string& line) {
        ASSERT_GT(line.size(), 2U) << "it ended by itself";
        (line[0] == 'a' ? accepted : delivered).insert(line.substr(2));
      };
      while (lines-- > 0) take(child.line());
      child.kill();
      for (auto line = child.line(); !line.empty(); line = child.line()) take(line);
    }
    auto file = database_file::open(path, at(0));
    ASSERT_TRUE(file) << file.error().what;
    auto& db = (*file)->db();
    ASSERT_EQ(text_of(db, "PRAGMA quick_check"), "ok");
    const auto all = read_all(db);
    for (const auto& id : accepted) {
      const auto found = all.find(id);
      ASSERT_TRUE(found != all.end()) << id << " was accepted, and is lost";
      EXPECT_EQ(found->second.deliveries, 1) << id;
    }
    for (const auto& id : delivered)
      EXPECT_EQ(all.at(id).status, webhook::state::succeeded) << id << " was delivered";
    EXPECT_EQ(text_of(db,
                      "SELECT count(*) FROM counts c WHERE c.deliveries <> "
                      "(SELECT count(*) FROM deliveries d WHERE d.status = c.status)"),
              "0");
  }
  EXPECT_GT(accepted.size(), 1000U);
  EXPECT_GT(delivered.size(), 50U);
}

// Killed while it makes the file and its tables, or just before or behind that.
TEST(durability, a_file_that_was_being_made_is_made_to_its_end) {
  std::mt19937 dice(7);
  for (int round = 0; round < 20; ++round) {
    const testing::temporary_folder folder;
    const auto path = folder.file("hooks.db");
    {
      ledger_child child({"hold", path});
      // What it has done by then does not matter.
      const auto until = std::chrono::microseconds(std::uniform_int_distribution(0, 20'000)(dice));
      std::this_thread::sleep_for(until);
      child.kill();
    }
    const auto file = database_file::open(path, at(0));
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(text_of((*file)->db(), "PRAGMA quick_check"), "ok");
    EXPECT_EQ(text_of((*file)->db(), "SELECT max(version) FROM schema_versions"),
              std::to_string(schema_steps().size()));
  }
}

}  // namespace
}  // namespace gate::ledger
