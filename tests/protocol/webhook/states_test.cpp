#include "protocol/webhook/states.hpp"

#include <gtest/gtest.h>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {
namespace {

TEST(states, have_a_word_each) {
  EXPECT_EQ(name_of(state::pending), "pending");
  EXPECT_EQ(name_of(state::delivering), "delivering");
  EXPECT_EQ(name_of(state::succeeded), "succeeded");
  EXPECT_EQ(name_of(state::failed), "failed");
  EXPECT_EQ(name_of(state::dead), "dead");
  for (const auto name : state_names) {
    const auto s = state_named(name);
    ASSERT_TRUE(s) << name;
    EXPECT_EQ(name_of(*s), name);
  }
  for (const auto* name : {"", "Dead", "dead ", "alive"}) EXPECT_FALSE(state_named(name)) << name;
}

TEST(states, of_webhooks_say_why) {
  EXPECT_EQ(name_of(disabled::no), "");
  EXPECT_EQ(name_of(disabled::manual), "manual");
  EXPECT_EQ(name_of(disabled::gone), "gone");
  EXPECT_EQ(name_of(disabled::failing), "failing");
}

}  // namespace
}  // namespace gate::webhook
