#include "actors/upstream/said_subscriptions.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

TEST(said_subscriptions, are_said_one_at_a_time) {
  said_subscriptions s;
  EXPECT_TRUE(s.say(1, "a", true, false));
  EXPECT_FALSE(s.say(2, "a", false, false));
  EXPECT_TRUE(s.say(3, "b", true, true)) << "of another resource";
  ASSERT_TRUE(s.find(1));
  EXPECT_TRUE(s.find(3)->renewal);
  EXPECT_FALSE(s.find(2));
  const auto word = s.end(1);
  ASSERT_TRUE(word);
  EXPECT_TRUE(word->wanted);
  EXPECT_FALSE(word->now);
  EXPECT_FALSE(s.end(1));
  EXPECT_TRUE(s.say(4, "a", false, false));
}

TEST(said_subscriptions, count_as_they_were_wanted_last) {
  said_subscriptions s;
  s.say(1, "a", true, false);
  s.say(2, "a", false, false);
  s.say(3, "a", true, false);
  const auto word = s.end(1);
  EXPECT_TRUE(word->wanted && word->now);
}

TEST(said_subscriptions, are_nothing_to_another_session) {
  said_subscriptions s;
  s.say(1, "a", true, false);
  s.forget();
  EXPECT_FALSE(s.end(1));
  EXPECT_TRUE(s.say(2, "a", true, true));
}

TEST(said_subscriptions, are_held_without_a_credential_and_said_as_they_were_wanted_last) {
  said_subscriptions s;
  s.hold("a", true, true, false);
  s.hold("b", true, false, false);
  s.hold("b", false, false, false);
  EXPECT_EQ(s.size(), 2U);
  const auto held = s.take_held();
  ASSERT_EQ(held.size(), 2U);
  EXPECT_TRUE(held.at("a").wanted && held.at("a").renewal);
  EXPECT_FALSE(held.at("b").wanted);
  EXPECT_EQ(s.size(), 0U);
}

TEST(said_subscriptions, that_are_under_way_are_not_held) {
  said_subscriptions s;
  s.say(1, "a", true, false, true, 7);
  s.hold("a", false, false, false);
  EXPECT_TRUE(s.held().empty());
  const auto word = s.end(1);
  ASSERT_TRUE(word);
  EXPECT_TRUE(word->again);
  EXPECT_EQ(word->shown, 7U);
  EXPECT_FALSE(word->now);
}

TEST(said_subscriptions, that_are_said_are_held_no_longer) {
  said_subscriptions s;
  s.hold("a", true, false, false);
  EXPECT_TRUE(s.say(1, "a", false, false));
  EXPECT_TRUE(s.held().empty());
  s.hold("b", true, false, false);
  s.forget();
  EXPECT_TRUE(s.held().empty());
}

}  // namespace
}  // namespace gate::upstream
