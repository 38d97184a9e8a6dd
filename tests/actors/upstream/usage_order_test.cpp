#include "actors/upstream/usage_order.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

struct usage : ::testing::Test {
  usage_order<int> order;
  int a = 1, b = 2, c = 3;
  usage_order<int>::place at_a = order.enter(a), at_b = order.enter(b), at_c = order.enter(c);

  static bool any(int) { return true; }
};

TEST_F(usage, the_longest_unused_goes_first) {
  EXPECT_EQ(order.longest_unused(any, 10), &a);
  order.used(at_a);
  EXPECT_EQ(order.longest_unused(any, 10), &b);
  order.leave(at_b);
  EXPECT_EQ(order.longest_unused(any, 10), &c);
}

TEST_F(usage, those_that_can_not_go_are_passed_over_so_many_at_a_time) {
  const auto only_c = [](int x) { return x == 3; };
  EXPECT_EQ(order.longest_unused(only_c, 2), nullptr);
  EXPECT_EQ(order.longest_unused(only_c, 2), &c) << "it went on where it was";
  EXPECT_EQ(order.longest_unused([](int) { return false; }, 10), nullptr);
}

}  // namespace
}  // namespace gate::upstream
