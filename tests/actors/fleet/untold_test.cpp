// What the store is told until it has heard it.
#include "actors/fleet/untold.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::fleet {
namespace {

TEST(what_the_store_is_to_be_told, is_told_until_it_has_heard_it) {
  untold<std::string> it;
  it.add("one");
  it.add("two");
  EXPECT_EQ(it.next(1), "one");
  EXPECT_EQ(it.next(2), "two");
  EXPECT_TRUE(it.empty());
  EXPECT_FALSE(it.told(3, true)) << "that was asked by somebody else";
  EXPECT_TRUE(it.told(1, false));
  EXPECT_TRUE(it.told(2, true));
  ASSERT_FALSE(it.empty());
  EXPECT_EQ(it.next(4), "one");
  EXPECT_FALSE(it.told(1, true)) << "once for each number";
  EXPECT_TRUE(it.told(4, true));
  EXPECT_TRUE(it.empty());
}

TEST(what_the_store_is_to_be_told, is_forgotten_when_all_is_told_anew) {
  untold<std::string> it;
  it.add("old");
  it.next(1);
  it.add("older");
  it.clear();
  EXPECT_TRUE(it.empty());
  EXPECT_FALSE(it.told(1, false)) << "it is not told again";
  EXPECT_TRUE(it.empty());
}

}  // namespace
}  // namespace gate::fleet
