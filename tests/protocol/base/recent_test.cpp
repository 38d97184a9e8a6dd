#include "protocol/base/recent.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gate {
namespace {

/// Two groups of four.
using few = recent<std::optional<int>, 8>;

bool has(const few& r, std::uint64_t hash, int what) {
  const auto* found = r.find(hash, [&](const auto& x) { return x == what; });
  return found && *found == what;
}
void keep(few& r, std::uint64_t hash, int what) {
  EXPECT_EQ(r.keep(hash, what, [&](const auto& x) { return x == what; }), what);
}

TEST(recent, what_was_kept_is_found_by_its_hash) {
  few r;
  EXPECT_FALSE(has(r, 0, 1));
  keep(r, 0, 1);
  EXPECT_TRUE(has(r, 0, 1));
  EXPECT_TRUE(has(r, 2, 1)) << "of the same group";
  EXPECT_FALSE(has(r, 1, 1));
  EXPECT_FALSE(has(r, 0, 2));
}

TEST(recent, the_earliest_of_a_group_makes_room) {
  few r;
  for (int i = 1; i <= 5; ++i) keep(r, 0, i);
  keep(r, 1, 9);
  EXPECT_FALSE(has(r, 0, 1));
  for (int i = 2; i <= 5; ++i) EXPECT_TRUE(has(r, 0, i)) << i;
  EXPECT_TRUE(has(r, 1, 9));
}

TEST(recent, what_is_kept_again_is_the_latest_and_there_once) {
  few r;
  for (int i = 1; i <= 4; ++i) keep(r, 0, i);
  for (int again = 0; again < 3; ++again) keep(r, 0, 1);
  for (int i = 1; i <= 4; ++i) EXPECT_TRUE(has(r, 0, i)) << i;
  keep(r, 0, 5);
  EXPECT_FALSE(has(r, 0, 2)) << "the earliest, now";
  EXPECT_TRUE(has(r, 0, 1));
}

TEST(recent, one_in_the_middle_is_replaced_in_front) {
  few r;
  for (int i = 1; i <= 4; ++i) keep(r, 0, i);
  r.keep(0, 30, [](const auto& x) { return x == 3; });
  EXPECT_FALSE(has(r, 0, 3));
  for (int i : {30, 1, 2, 4}) EXPECT_TRUE(has(r, 0, i)) << i;
}

}  // namespace
}  // namespace gate
