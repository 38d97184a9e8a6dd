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

}  // namespace
}  // namespace gate::upstream
