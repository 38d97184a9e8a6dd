#include "actors/router/body_waits.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

using namespace std::chrono_literals;

TEST(body_waits, are_taken_once) {
  body_waits waits;
  const body_waits::time_point t{10s};
  EXPECT_FALSE(waits.take(1));
  waits.add(1, 100, t);
  waits.add(2, 200, t + 1s);
  EXPECT_EQ(waits.size(), 2U);
  const auto two = waits.take(2);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->call, 200U);
  EXPECT_EQ(two->since, t + 1s);
  EXPECT_FALSE(waits.take(2));
  EXPECT_TRUE(waits.take(1));
  EXPECT_EQ(waits.size(), 0U);
  waits.add(3, 300, t);
  EXPECT_EQ(waits.all(), std::vector<std::uint64_t>{3});
}

}  // namespace
}  // namespace gate
