#include "actors/identity/token_shares.hpp"

#include <gtest/gtest.h>

namespace gate::identity {
namespace {

using namespace std::chrono_literals;

struct token_shares_of : ::testing::Test {
  token_shares it{5, 3};
  token_shares::time_point t{1000h};

  void give(int times = 1) {
    while (times-- > 0) {
      it.begin();
      it.end(true, t);
    }
  }
  void fail(const std::string& address, int times = 1) {
    while (times-- > 0) it.in_vain(address, t);
  }
};

TEST_F(token_shares_of, everybody_gets_so_many_and_from_one_address) {
  give(4);
  EXPECT_FALSE(it.refuses("a", t));
  give();
  EXPECT_EQ(it.refuses("a", t), 72s) << "a fifth of the next minute";
  EXPECT_TRUE(it.refuses("b", t));
  EXPECT_FALSE(it.refuses("a", t + 72s));
}

TEST_F(token_shares_of, are_none_when_the_fleet_has_given_as_many) {
  it.full_until(t + 1500ms);
  EXPECT_EQ(it.refuses("a", t), 2s);
  EXPECT_EQ(it.everybody_refuses(t + 1s), 1s);
  EXPECT_FALSE(it.everybody_refuses(t + 1500ms));
}

TEST_F(token_shares_of, what_is_being_given_counts) {
  for (int i = 0; i < 5; ++i) it.begin();
  EXPECT_TRUE(it.everybody_refuses(t));
  it.end(false, t);
  EXPECT_FALSE(it.everybody_refuses(t));
  for (int i = 0; i < 4; ++i) it.end(true, t);
  EXPECT_FALSE(it.everybody_refuses(t));
  give();
  EXPECT_TRUE(it.everybody_refuses(t));
}

TEST_F(token_shares_of, who_asks_in_vain_takes_from_nobody_else) {
  fail("a", 5);
  EXPECT_TRUE(it.refuses("a", t));
  EXPECT_FALSE(it.refuses("b", t));
  EXPECT_FALSE(it.everybody_refuses(t));
  fail("a", 1000);
  EXPECT_FALSE(it.refuses("b", t));
  EXPECT_FALSE(it.refuses("a", t + 2min));
}

TEST_F(token_shares_of, addresses_are_bounded_and_forgotten) {
  for (auto address : {"a", "b", "c", "d", "e"}) fail(address, 5);
  EXPECT_EQ(it.addresses(), 3U);
  EXPECT_FALSE(it.refuses("d", t)) << "not counted";
  t += 2min;
  fail("d", 5);
  EXPECT_EQ(it.addresses(), 1U);
  EXPECT_TRUE(it.refuses("d", t));
}

TEST(shares_of_any_number, refuse_nobody) {
  token_shares it(0);
  const token_shares::time_point t{1h};
  for (int i = 0; i < 1000; ++i) {
    it.in_vain("a", t);
    it.begin();
    it.end(true, t);
  }
  EXPECT_FALSE(it.refuses("a", t));
  EXPECT_EQ(it.addresses(), 0U);
}

}  // namespace
}  // namespace gate::identity
