#include "actors/upstream/tool_renewals.hpp"

#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream {
namespace {

using place = tool_renewals::place;
using outlook = place::outlook;

struct renewals_of_tools : ::testing::Test {
  testing::session_world doors;
  tool_renewals it;
  std::unique_ptr<place> call(tool_renewals::whose list = {}) {
    return std::make_unique<place>(it, list, doors);
  }
};

TEST_F(renewals_of_tools, are_led_by_the_first) {
  auto first = call(), second = call();
  EXPECT_TRUE(first->leads());
  EXPECT_FALSE(second->leads());
  EXPECT_EQ(second->look(), outlook::wait);
  EXPECT_EQ(first->look(), outlook::fetch) << "it still does";
  first.reset();
  EXPECT_EQ(doors.settled_tools, 1);
}

TEST_F(renewals_of_tools, of_other_lists_are_others) {
  auto mine = call({1, 0}), theirs = call({2, 0}), of_a_client = call({0, 1});
  EXPECT_TRUE(mine->leads() && theirs->leads() && of_a_client->leads());
  EXPECT_EQ(it.size(), 3U);
}

TEST_F(renewals_of_tools, that_end_with_their_call_are_led_by_the_next) {
  auto first = call(), second = call(), third = call();
  first.reset();
  EXPECT_EQ(second->look(), outlook::fetch);
  EXPECT_TRUE(second->leads());
  EXPECT_EQ(third->look(), outlook::wait);
  second.reset();
  EXPECT_EQ(doors.settled_tools, 2);
  EXPECT_EQ(third->look(), outlook::fetch);
}

TEST_F(renewals_of_tools, that_failed_have_failed_for_all_who_waited) {
  auto first = call(), second = call();
  first->failed();
  first.reset();
  auto later = call();
  EXPECT_TRUE(later->leads()) << "it has not waited for that";
  EXPECT_EQ(second->look(), outlook::none);
  EXPECT_EQ(later->look(), outlook::fetch);
}

TEST_F(renewals_of_tools, tell_nobody_if_nobody_waits_and_leave_nothing) {
  auto first = call(), second = call();
  second.reset();
  first.reset();
  EXPECT_EQ(doors.settled_tools, 0);
  EXPECT_EQ(it.size(), 0U);
}

}  // namespace
}  // namespace gate::upstream
