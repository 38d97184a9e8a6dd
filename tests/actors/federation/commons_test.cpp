#include "actors/federation/commons.hpp"

#include <gtest/gtest.h>

#include "actors/federation/profile_table.hpp"

namespace gate::federation {
namespace {

using namespace std::chrono_literals;

mcp::shared_items list(const char* name) {
  return std::make_shared<const mcp::item_list>(1, mcp::list_item{name, name});
}

TEST(an_item_pool, gives_out_one_of_those_that_are_equal) {
  item_pool pool;
  const auto first = pool.same(list("a"), 1);
  EXPECT_EQ(pool.same(list("a"), 1), first);
  EXPECT_NE(pool.same(list("b"), 1), first) << "digests may meet";
  const auto other = pool.same(list("c"), 2);
  EXPECT_NE(other, first);
}

TEST(an_item_pool, keeps_nothing_alive_and_does_not_grow) {
  item_pool pool;
  const std::weak_ptr<const mcp::item_list> gone = pool.same(list("a"), 1);
  EXPECT_TRUE(gone.expired());
  for (std::uint64_t i = 0; i < 10'000; ++i) pool.same(list("a"), i);
  EXPECT_LE(pool.size(), 1'000U);
}

TEST(told_once, is_news_until_it_is_over) {
  told_once log(2);
  EXPECT_TRUE(log.tell("a"));
  EXPECT_FALSE(log.tell("a"));
  EXPECT_TRUE(log.tell("b"));
  EXPECT_FALSE(log.tell("c")) << "there is no room";
  log.forget("a");
  EXPECT_TRUE(log.tell("a"));
}

struct a_profile_table : ::testing::Test {
  profile_table table;
  std::chrono::steady_clock::time_point t{1h};
  std::bitset<mcp::capability_profiles> used;
};

TEST_F(a_profile_table, takes_all_that_there_is_room_for) {
  for (unsigned p = 0; p < limits::client_profiles; ++p)
    EXPECT_EQ(table.admit(static_cast<mcp::capability_profile>(p), t), p);
  EXPECT_EQ(table.admit(5, t), 5);
}

TEST_F(a_profile_table, takes_others_for_the_nearest_that_can_do_less) {
  for (unsigned p = 0; p < limits::client_profiles; ++p)
    table.admit(static_cast<mcp::capability_profile>(p), t);
  EXPECT_EQ(table.admit(0b1111111, t), 0b1111);
  EXPECT_EQ(table.admit(0b1010110, t), 0b0110);
  EXPECT_EQ(table.admit(0b1010000, t), 0) << "nothing of what it can is alive";
  for (unsigned p = 0; p < mcp::capability_profiles; ++p) {
    const auto is = table.admit(static_cast<mcp::capability_profile>(p), t);
    EXPECT_EQ(is & ~p, 0U) << "nobody is shown what it can not answer";
    EXPECT_LT(is, limits::client_profiles);
  }
}

TEST_F(a_profile_table, has_room_again_when_nobody_is_left) {
  for (unsigned p = 0; p < limits::client_profiles; ++p)
    table.admit(static_cast<mcp::capability_profile>(p), t);
  used.set(3);
  EXPECT_TRUE(table.expire(used, t + 299s, 300s).empty());
  const auto gone = table.expire(used, t + 300s, 300s);
  EXPECT_EQ(gone.size(), limits::client_profiles - 2);
  EXPECT_EQ(table.admit(0b1000000, t), 0b1000000);
  EXPECT_EQ(table.admit(3, t), 3);
}

}  // namespace
}  // namespace gate::federation
