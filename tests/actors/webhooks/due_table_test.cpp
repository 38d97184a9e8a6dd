#include "actors/webhooks/due_table.hpp"

#include <gtest/gtest.h>

#include "tests/actors/webhooks/support/noon.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;

using testing::noon;

struct a_due_table : ::testing::Test {
  std::string begun(wall_time now) {
    const auto b = it.begin(now);
    if (!b) return {};
    last = b->number;
    return b->webhook + " of " + b->organization;
  }
  due_table it;
  std::uint64_t last = 0;
};

TEST_F(a_due_table, begins_what_is_due_the_earliest_first) {
  it.told("b", "x", noon + 2s);
  it.told("a", "x", noon + 3s);
  it.told("c", "y", noon);
  EXPECT_EQ(it.next(), noon);
  EXPECT_EQ(begun(noon + 2s), "c of y");
  EXPECT_EQ(begun(noon + 2s), "b of x");
  EXPECT_EQ(begun(noon + 2s), "");
  EXPECT_EQ(it.next(), noon + 3s);
  EXPECT_EQ(it.running(), 2U);
}

TEST_F(a_due_table, keeps_the_earlier_of_two_times) {
  it.told("a", "x", noon + 9s);
  it.told("a", "x", noon + 5s);
  it.told("a", "x", noon + 7s);
  EXPECT_EQ(it.next(), noon + 5s);
  EXPECT_EQ(it.size(), 1U);
}

TEST_F(a_due_table, tells_who_runs) {
  EXPECT_EQ(it.told("a", "x", noon), 0U);
  begun(noon);
  EXPECT_EQ(it.told("a", "x", noon), last);
  EXPECT_EQ(it.running("a"), last);
  EXPECT_EQ(it.running("b"), 0U);
  EXPECT_FALSE(it.next());
}

TEST_F(a_due_table, lets_nobody_rest_who_was_told_more_than_he_knows) {
  it.told("a", "x", noon);
  begun(noon);
  it.told("a", "x", noon);
  EXPECT_FALSE(it.rests(last, 0, {}));
  EXPECT_EQ(it.running("a"), last);
  EXPECT_TRUE(it.rests(last, 1, noon + 1h));
  EXPECT_EQ(it.running("a"), 0U);
  EXPECT_EQ(it.next(), noon + 1h);
  EXPECT_EQ(begun(noon + 1h), "a of x");
  EXPECT_TRUE(it.rests(last, 0, {}));
  EXPECT_EQ(it.size(), 0U);
  EXPECT_TRUE(it.rests(last, 0, {})) << "it was none any more";
}

TEST_F(a_due_table, has_another_one_begin_for_who_has_crashed) {
  it.told("a", "x", noon);
  begun(noon);
  const auto first = last;
  it.crashed(last, noon + 1s);
  it.crashed(last, noon);
  EXPECT_EQ(begun(noon), "");
  EXPECT_EQ(begun(noon + 1s), "a of x");
  EXPECT_NE(last, first);
}

}  // namespace
}  // namespace gate::hooks
