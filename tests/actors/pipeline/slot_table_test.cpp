#include "actors/pipeline/slot_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace gate {
namespace {

using table_of_ints = slot_table<std::unique_ptr<int>>;

std::unique_ptr<int> number(int i) {
  return std::make_unique<int>(i);
}

TEST(slot_table, gives_back_what_was_put_in_once) {
  table_of_ints table;
  const auto one = table.add(number(1));
  const auto two = table.add(number(2));
  EXPECT_EQ(**table.find(one), 1);
  EXPECT_EQ(*table.take(two), 2);
  EXPECT_EQ(table.take(two), nullptr);
  EXPECT_EQ(table.find(two), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST(slot_table, never_gives_a_number_twice) {
  table_of_ints table;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto n = table.add(number(i));
    EXPECT_TRUE(seen.insert(n).second);
    EXPECT_NE(n, 0U);
    table.take(n);
    for (auto old : seen) ASSERT_EQ(table.find(old), nullptr);
  }
}

TEST(slot_table, knows_nothing_of_numbers_from_elsewhere) {
  table_of_ints table;
  table.add(number(1));
  for (std::uint64_t n : {0ULL, 1ULL, 0xffffffffULL, ~0ULL, 1ULL << 33}) {
    EXPECT_EQ(table.find(n), nullptr);
    EXPECT_EQ(table.take(n), nullptr);
  }
}

TEST(slot_table, visits_what_is_there) {
  table_of_ints table;
  const auto gone = table.add(number(1));
  table.add(number(2));
  table.add(number(3));
  table.take(gone);
  int sum = 0;
  table.for_each([&](const auto& x) { sum += *x; });
  EXPECT_EQ(sum, 5);
}

}  // namespace
}  // namespace gate
