#include "simulations/replay/thresholds.hpp"

#include "tests/support/actor_test.hpp"

namespace gate::replay {
namespace {

class threshold_test : public sim::actor_test {
 public:
  before_router update(const snapshot_ptr& s) { return {{}, federation_update{s, {}}}; }
  before_router crashed() { return {{}, replaced<upstream_handle>{{}, 0}}; }

  snapshot_ptr first = std::make_shared<const gate::config::snapshot>();
  snapshot_ptr second = std::make_shared<const gate::config::snapshot>();
  snapshot_ptr third = std::make_shared<const gate::config::snapshot>();
};

TEST_F(threshold_test, what_a_router_begins_with_passes_and_the_next_waits) {
  thresholds all(2);
  for (const auto unit : {0U, 1U}) {
    all.take(unit, update(first));
    all.take(unit, crashed());
    EXPECT_FALSE(all.waits(unit));
    all.take(unit, update(second));
    EXPECT_TRUE(all.waits(unit));
  }
  all.open(1);
  EXPECT_TRUE(all.waits(0));
  EXPECT_FALSE(all.waits(1));
}

TEST_F(threshold_test, each_opening_is_for_one_configuration_and_what_is_said_behind_it) {
  thresholds all(1);
  all.take(0, update(first));
  all.take(0, update(second));
  all.take(0, crashed());
  all.take(0, update(third));
  all.open(0);
  EXPECT_TRUE(all.waits(0));
  all.open(0);
  EXPECT_FALSE(all.waits(0));
  all.open(0);  // the recording was ahead
  all.take(0, update(first));
  EXPECT_FALSE(all.waits(0));
  all.take(0, update(second));
  EXPECT_TRUE(all.waits(0));
  all.open_all();
  all.take(0, update(third));
  EXPECT_FALSE(all.waits(0));
}

}  // namespace
}  // namespace gate::replay
