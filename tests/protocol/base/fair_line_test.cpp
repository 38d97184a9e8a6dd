#include "protocol/base/fair_line.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

TEST(fair_line, owners_take_turns) {
  fair_line<int> l;
  for (int i = 0; i < 4; ++i) l.push(1, 10 + i);
  l.push(2, 20);
  l.push(3, 30);
  l.push(2, 21);
  EXPECT_EQ(l.size(), 7U);
  EXPECT_EQ(l.of(1), 4U);
  for (const int expected : {10, 20, 30, 11, 21, 12, 13}) EXPECT_EQ(l.pop(), expected);
  EXPECT_TRUE(l.empty());
  EXPECT_EQ(l.pop(), std::nullopt);
  EXPECT_EQ(l.of(1), 0U);
}

TEST(fair_line, who_may_not_keeps_its_turn) {
  fair_line<int> l;
  l.push(1, 10);
  l.push(2, 20);
  EXPECT_EQ(l.pop([](int w) { return w >= 20; }), 20);
  EXPECT_EQ(l.pop([](int w) { return w >= 20; }), std::nullopt);
  EXPECT_EQ(l.pop(), 10);
}

TEST(fair_line, what_is_taken_out) {
  fair_line<int> l;
  for (int i = 0; i < 3; ++i) l.push(1, i);
  l.push(2, 5);
  EXPECT_EQ(l.erase_if(1, [](int w) { return w == 1; }), 1U);
  EXPECT_EQ(l.erase_if(1, [](int w) { return w == 1; }), 0U);
  EXPECT_EQ(l.forget(1), 2U);
  EXPECT_EQ(l.forget(1), 0U);
  EXPECT_EQ(l.size(), 1U);
  EXPECT_EQ(l.pop(), 5);
}

TEST(shares, a_quarter_is_anybodys_and_a_quarter_stays_free) {
  EXPECT_TRUE(within_share(0, 0, 1024));
  EXPECT_TRUE(within_share(767, 767, 1024)) << "alone it may have more";
  EXPECT_FALSE(within_share(768, 768, 1024)) << "but not the last quarter";
  EXPECT_TRUE(within_share(0, 768, 1024));
  EXPECT_TRUE(within_share(255, 1023, 1024));
  EXPECT_FALSE(within_share(256, 1023, 1024));
  EXPECT_FALSE(within_share(0, 1024, 1024));
}

}  // namespace
}  // namespace gate
