#include "simulations/replay/thresholds.hpp"

#include "simulations/world/world.hpp"
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

TEST_F(threshold_test, what_health_is_told_waits_behind_its_configuration) {
  thresholds all(1);
  all.take(0, update(first));
  all.take(0, before_router{{}, for_health{{}, federation_update{first, {}}}});
  EXPECT_FALSE(all.waits(0));
  all.take(0, update(second));
  all.take(0, before_router{{}, for_health{{}, federation_update{second, {}}}});
  all.take(0, update(third));
  all.open(0);
  EXPECT_TRUE(all.waits(0)) << "the third, alone";
  all.take(0, before_router{{}, for_health{{}, replaced<upstream_handle>{{}, 0}}});
  all.open(0);
  EXPECT_FALSE(all.waits(0));
}

TEST(thresholds_of_a_world, health_goes_by_the_configuration_of_the_first_unit) {
  const auto all = std::make_shared<thresholds>(2);
  sim::world_options o;
  o.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}]})";
  o.units = 2;
  o.threshold = [&](caf::actor_system& system, std::size_t unit) {
    return system.spawn<playing_threshold>(all, unit);
  };
  sim::world w(std::move(o));
  const auto says = [&](std::string_view id) {
    const auto r = w.arrive(sim::make_request(verb::get, "/health", {"Host: localhost"}));
    w.settle();
    return r->body.find(R"({"id":")" + std::string(id)) != std::string::npos;
  };
  EXPECT_TRUE(says("a"));
  w.write_config(R"({"upstreams":[{"id":"b","url":"http://b.test/mcp"}]})");
  w.hang_up();
  w.settle();
  EXPECT_TRUE(all->waits(0));
  EXPECT_TRUE(says("a"));
  all->open(1);
  w.settle();
  EXPECT_TRUE(says("a"));
  all->open(0);
  w.settle();
  EXPECT_TRUE(says("b"));
  EXPECT_FALSE(says("a"));
}

}  // namespace
}  // namespace gate::replay
