#include "actors/upstream/usage_order.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

struct usage : ::testing::Test {
  usage_order<int> order;
  int a = 1, b = 2, c = 3;
  usage_order<int>::place at_a = order.enter(a), at_b = order.enter(b), at_c = order.enter(c);

  static spare any(int) { return spare::yes; }
};

TEST_F(usage, the_longest_unused_goes_first) {
  EXPECT_EQ(order.first_to_go(any, 10), &a);
  order.used(at_a);
  EXPECT_EQ(order.first_to_go(any, 10), &b);
  order.leave(at_b);
  EXPECT_EQ(order.first_to_go(any, 10), &c);
}

TEST_F(usage, those_that_can_not_go_are_passed_over_so_many_at_a_time) {
  const auto only_c = [](int x) { return x == 3 ? spare::yes : spare::no; };
  EXPECT_EQ(order.first_to_go(only_c, 2), nullptr);
  EXPECT_EQ(order.first_to_go(only_c, 2), &c) << "it went on where it was";
  EXPECT_EQ(order.first_to_go([](int) { return spare::no; }, 10), nullptr);
}

TEST_F(usage, one_that_can_hardly_be_spared_goes_if_no_other_can) {
  const auto best_c = [](int x) { return x == 3 ? spare::yes : spare::hardly; };
  EXPECT_EQ(order.first_to_go(best_c, 2), &a) << "what is far away is not looked for";
  EXPECT_EQ(order.first_to_go(best_c, 2), &c) << "and is nearer the next time";
  EXPECT_EQ(order.first_to_go(best_c, 10), &c);
  order.used(at_a);
  order.used(at_b);
  order.used(at_c);
  const auto not_a = [](int x) { return x == 1 ? spare::no : spare::hardly; };
  EXPECT_EQ(order.first_to_go(not_a, 10), &b) << "the longest unused one of them";
  order.used(at_b);
  EXPECT_EQ(order.first_to_go(not_a, 10), &c);
  usage_order<int> none;
  EXPECT_EQ(none.first_to_go(any, 10), nullptr);
}

TEST(a_session, can_be_spared_by_what_hangs_on_it_and_whether_its_client_listens) {
  for (const bool listening : {false, true})
    for (const bool away : {false, true}) EXPECT_EQ(spared(listening, away, true), spare::no);
  EXPECT_EQ(spared(false, false, false), spare::yes);
  EXPECT_EQ(spared(true, false, false), spare::no);
  EXPECT_EQ(spared(true, true, false), spare::hardly);
}

}  // namespace
}  // namespace gate::upstream
