#include "actors/upstream/session_timers.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using time_point = session_timers::time_point;
using due_list = std::vector<std::pair<time_point, caf::actor_id>>;

constexpr time_point zero{};

TEST(session_timers, have_one_for_all) {
  session_timers t;
  for (const caf::actor_id who : {1, 2, 3}) t.add(who);
  EXPECT_EQ(t.arm(), std::nullopt) << "nobody wants any";
  t.set(1, zero + 5s);
  EXPECT_EQ(t.arm(), zero + 5s);
  t.set(2, zero + 9s);
  EXPECT_EQ(t.arm(), std::nullopt) << "the one that is armed comes early enough";
  t.set(3, zero + 2s);
  EXPECT_EQ(t.arm(), zero + 2s);
  EXPECT_EQ(t.due(zero + 5s, zero + 5s), due_list{}) << "an earlier one was armed";
  EXPECT_EQ(t.due(zero + 2s, zero + 6s), (due_list{{zero + 2s, 3}, {zero + 5s, 1}}));
  EXPECT_EQ(t.arm(), zero + 9s);
}

TEST(session_timers, are_told_once) {
  session_timers t;
  t.add(1);
  t.set(1, zero + 1s);
  ASSERT_TRUE(t.arm());
  EXPECT_EQ(t.due(zero + 1s, zero + 1s).size(), 1U);
  EXPECT_EQ(t.arm(), std::nullopt);
  EXPECT_EQ(t.due(zero + 1s, zero + 2s), due_list{}) << "that one has come";
}

TEST(session_timers, hold_the_latest_wish) {
  session_timers t;
  t.add(1);
  t.set(1, zero + 1s);
  EXPECT_EQ(t.arm(), zero + 1s);
  t.set(1, zero + 8s);
  EXPECT_EQ(t.arm(), std::nullopt);
  EXPECT_EQ(t.due(zero + 1s, zero + 1s), due_list{}) << "it does not want that any more";
  EXPECT_EQ(t.arm(), zero + 8s) << "and is not forgotten";
}

TEST(session_timers, forget_who_has_ended) {
  session_timers t;
  t.add(1);
  t.set(1, zero + 1s);
  t.drop(1);
  t.set(1, zero + 1s);  // it was on its way
  t.drop(2);
  EXPECT_EQ(t.arm(), std::nullopt);
}

}  // namespace
}  // namespace gate::upstream
