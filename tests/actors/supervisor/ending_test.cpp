#include "actors/supervisor/ending.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::supervisor {
namespace {

using namespace std::chrono_literals;

/// Writes down what is to be done; the test says what comes of it.
struct fake_door final : ending_door {
  std::string done;
  bool upstreams = true, routers = true;

  void drain() override { done += "drain "; }
  void refuse_calls() override { done += "refuse "; }
  void say_goodbye() override { done += "goodbye "; }
  void end_all() override { done += "end "; }
  void flush() override { done += "flush "; }
  void wake(phase, std::chrono::milliseconds after) override {
    done += std::to_string(after.count()) + "ms ";
  }
  bool upstreams_alive() const override { return upstreams; }
  bool routers_alive() const override { return routers; }
};

struct the_end : ::testing::Test {
  fake_door door;
  ending it{door};

  std::string done() { return std::exchange(door.done, {}); }
  void last_router_gone() {
    door.routers = false;
    it.child_gone();
  }
};

TEST_F(the_end, goes_from_step_to_step_as_each_is_done) {
  EXPECT_TRUE(it.running());
  it.begin(2);
  EXPECT_FALSE(it.running());
  EXPECT_FALSE(it.late());
  EXPECT_EQ(done(), "drain 10000ms ");
  it.drained();
  EXPECT_EQ(done(), "") << "another unit has connections";
  it.drained();
  EXPECT_EQ(done(), "refuse goodbye 2000ms ") << "clients have gone, calls of theirs may run";
  EXPECT_TRUE(it.late());
  it.child_gone();
  EXPECT_EQ(done(), "") << "another upstream lives";
  door.upstreams = false;
  it.child_gone();
  EXPECT_EQ(done(), "end ");
  EXPECT_FALSE(it.flushing());
  last_router_gone();
  EXPECT_EQ(done(), "flush ");
  EXPECT_TRUE(it.flushing());
}

TEST_F(the_end, goes_on_when_a_step_has_had_its_time) {
  it.begin(1);
  done();
  it.time_over(phase::draining);
  EXPECT_EQ(done(), "refuse 1000ms ");
  it.time_over(phase::refusing);
  EXPECT_EQ(done(), "goodbye 2000ms ");
  it.time_over(phase::goodbye);
  EXPECT_EQ(done(), "end ");
  last_router_gone();
  EXPECT_EQ(done(), "flush ");
}

TEST_F(the_end, does_not_hear_of_steps_that_are_over) {
  it.begin(1);
  it.drained();
  done();
  it.time_over(phase::draining);
  it.time_over(phase::refusing);
  EXPECT_EQ(done(), "");
  it.time_over(phase::goodbye);
  it.time_over(phase::goodbye);
  EXPECT_EQ(done(), "end ");
  door.upstreams = false;
  last_router_gone();
  it.child_gone();
  EXPECT_EQ(done(), "flush ") << "once";
}

TEST_F(the_end, begins_once) {
  it.begin(1);
  it.begin(1);
  EXPECT_EQ(done(), "drain 10000ms ");
}

TEST_F(the_end, waits_for_what_is_refused_to_be_written) {
  it.begin(1);
  it.time_over(phase::draining);
  done();
  it.drained();
  EXPECT_EQ(done(), "goodbye 2000ms ");
}

TEST_F(the_end, is_reached_at_once_when_nobody_is_there) {
  door.upstreams = door.routers = false;
  it.begin(1);
  done();
  it.drained();
  EXPECT_EQ(done(), "refuse goodbye end flush ");
}

TEST_F(the_end, is_not_hastened_by_who_crashes_while_it_drains) {
  door.upstreams = false;
  it.begin(1);
  done();
  it.child_gone();
  EXPECT_EQ(done(), "");
}

}  // namespace
}  // namespace gate::supervisor
