#include "actors/router/slot_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gate {
namespace {

TEST(slot_table, gives_back_what_was_put_in_once) {
  slot_table<int> table;
  const auto one = table.add(std::make_unique<int>(1));
  const auto two = table.add(std::make_unique<int>(2));
  EXPECT_EQ(*table.find(one), 1);
  EXPECT_EQ(*table.take(two), 2);
  EXPECT_EQ(table.take(two), nullptr);
  EXPECT_EQ(table.find(two), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST(slot_table, never_gives_a_number_twice) {
  slot_table<int> table;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto number = table.add(std::make_unique<int>(i));
    EXPECT_TRUE(seen.insert(number).second);
    EXPECT_NE(number, 0U);
    table.take(number);
    for (auto old : seen) ASSERT_EQ(table.find(old), nullptr);
  }
}

TEST(slot_table, knows_nothing_of_numbers_from_elsewhere) {
  slot_table<int> table;
  table.add(std::make_unique<int>(1));
  for (std::uint64_t n : {0ULL, 1ULL, 0xffffffffULL, ~0ULL, 1ULL << 33}) {
    EXPECT_EQ(table.find(n), nullptr);
    EXPECT_EQ(table.take(n), nullptr);
  }
}

TEST(slot_table, visits_what_is_there) {
  slot_table<int> table;
  const auto gone = table.add(std::make_unique<int>(1));
  table.add(std::make_unique<int>(2));
  table.add(std::make_unique<int>(3));
  table.take(gone);
  int sum = 0;
  table.for_each([&](int x) { sum += x; });
  EXPECT_EQ(sum, 5);
}

}  // namespace
}  // namespace gate
