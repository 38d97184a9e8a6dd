#include "actors/upstream/complaints.hpp"

#include "actors/upstream/alarm.hpp"
#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream::testing {
namespace {

struct complaints_of : ::testing::Test {
  session_world world;
  peers others;
  credential_slot shown{config::auth_strategy::fixed};
  endpoint_choice where{1};
  complaints one{one_endpoint(), world, others, shown, where, false};
  complaints another{one_endpoint(), world, others, shown, where, false};
};

TEST_F(complaints_of, one_outage_are_heard_once_and_its_end_once) {
  one.worked();
  EXPECT_TRUE(world.lines.empty()) << "as ever";
  one.failed("can not be reached", "no route");
  one.failed("can not be reached", "no route");
  another.failed("did not answer within its request timeout", {});
  EXPECT_EQ(world.lines,
            (std::vector<std::string>{"An upstream can not be reached; further failures are not "
                                      "logged until it recovers."}));
  another.worked();
  one.worked();
  EXPECT_EQ(world.lines.size(), 2u);
  EXPECT_EQ(world.lines.back(), "An upstream answers again.");
}

TEST_F(complaints_of, items_without_a_name_are_heard_once) {
  one.left_out(2);
  another.left_out(1);
  EXPECT_EQ(world.lines.size(), 1u);
}

TEST_F(complaints_of, a_check_are_kept_for_whoever_wanted_it) {
  complaints check{one_endpoint(), world, others, shown, where, true};
  check.failed("can not be reached", "no route");
  EXPECT_EQ(check.of_check(), "no route");
  EXPECT_TRUE(world.lines.empty());
  shown.take("Authorization: Bearer secret\r\n", credential_slot::never);
  check.failed("can not be used", "what is secret?");
  EXPECT_EQ(check.of_check(), "no route") << "a credential is never told";
}

TEST(an_alarm, tells_of_earlier_times_only_and_rings_once) {
  session_world world;
  alarm it(world);
  const auto t = world.t;
  it.set(t + 5s);
  it.set(t + 9s);
  EXPECT_EQ(world.wake, t + 5s);
  it.set(t + 2s);
  EXPECT_EQ(world.wake, t + 2s);
  EXPECT_FALSE(it.rings(t + 5s)) << "an earlier one was asked for since";
  EXPECT_TRUE(it.rings(t + 2s));
  EXPECT_FALSE(it.rings(t + 2s));
  it.set(t + 9s);
  EXPECT_EQ(world.wake, t + 9s);
}

}  // namespace
}  // namespace gate::upstream::testing
