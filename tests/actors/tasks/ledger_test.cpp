#include "actors/tasks/ledger.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

using namespace std::chrono_literals;

constexpr time_point start{std::chrono::hours(1000)};

verdict of(ledger& l, std::string_view id, std::uint64_t owner, time_point now = start) {
  return l.find(id, owner, now).verdict;
}

TEST(ledger, tells_whose_a_task_is) {
  ledger l;
  EXPECT_EQ(of(l, "t", 1), verdict::unknown);
  EXPECT_TRUE(l.pin("t", 1, {"a", 0, 7}, start));
  EXPECT_EQ(l.find("t", 1, start).place, (place{"a", 0, 7}));
  EXPECT_EQ(of(l, "t", 2), verdict::foreign);
  EXPECT_EQ(l.find("t", 2, start).place, place{}) << "nothing about it is told";
  EXPECT_EQ(of(l, "T", 1), verdict::unknown);
}

TEST(ledger, an_id_chosen_twice_is_each_owners_own) {
  ledger l;
  l.pin("t", 1, {"a", 0, 7}, start);
  l.pin("t", 2, {"b", 0, 8}, start);
  EXPECT_EQ(l.find("t", 1, start).place.upstream, "a");
  EXPECT_EQ(l.find("t", 2, start).place.upstream, "b");
  EXPECT_EQ(of(l, "t", 3), verdict::foreign);
  l.pin("t", 1, {"c", 0, 9}, start);
  EXPECT_EQ(l.find("t", 1, start).place.upstream, "c") << "the latest counts";
  EXPECT_EQ(l.size(), 2U);
}

TEST(ledger, forgets_after_a_day) {
  ledger l;
  l.pin("t", 1, {"a", 0, 7}, start);
  EXPECT_EQ(of(l, "t", 1, start + 24h - 1ms), verdict::own);
  EXPECT_EQ(of(l, "t", 2, start + 24h - 1ms), verdict::foreign);
  EXPECT_EQ(of(l, "t", 1, start + 24h), verdict::unknown);
  EXPECT_EQ(of(l, "t", 2, start + 24h), verdict::unknown);
  EXPECT_EQ(of(l, "t", 2, start + 25h), verdict::unknown);
  EXPECT_EQ(l.size(), 0U);
}

TEST(ledger, an_owner_has_a_share) {
  ledger l;
  l.pin("other", 2, {"a", 0, 7}, start);
  for (std::size_t i = 0; i <= limits::task_records_each; ++i)
    ASSERT_TRUE(l.pin(std::to_string(i), 1, {"a", 0, 7}, start));
  EXPECT_EQ(l.size(), limits::task_records_each + 1);
  EXPECT_EQ(of(l, "0", 1), verdict::unknown) << "its own oldest made room";
  EXPECT_EQ(of(l, "1", 1), verdict::own);
  EXPECT_EQ(of(l, "other", 2), verdict::own);
}

TEST(ledger, is_bounded) {
  ledger l;
  const auto owners = limits::task_records / limits::task_records_each;
  for (std::size_t i = 0; i < limits::task_records; ++i)
    ASSERT_TRUE(l.pin(std::to_string(i), i % owners, {"a", 0, 7}, start));
  EXPECT_FALSE(l.pin("t", owners, {"a", 0, 7}, start));
  EXPECT_TRUE(l.pin("t", 0, {"a", 0, 7}, start));
  EXPECT_EQ(l.size(), limits::task_records);
  EXPECT_TRUE(l.pin("t", owners, {"a", 0, 7}, start + 25h));
}

}  // namespace
}  // namespace gate::tasks
