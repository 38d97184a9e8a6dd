#include "actors/upstream/tenancy.hpp"

#include <functional>

#include "tests/actors/upstream/fake_carrier.hpp"
#include "tests/actors/upstream/session_stage.hpp"

namespace gate::upstream::testing {
namespace {

/// One session among others, of no generation of the protocol in particular.
struct tenant {
  explicit tenant(session_world& world, peers& others, role who = {.client = 1})
      : state(one_endpoint(), std::move(who), 7, world, world, others), place(state, by) {
    place.enter();
  }
  void be_ready() {
    by.place = true;
    place.opened();
  }
  session_basics state;
  fake_carrier by;
  tenancy place;
};

struct a_tenancy : ::testing::Test {
  session_world world;
  peers others;
};

TEST_F(a_tenancy, ends_when_it_was_not_used_for_long) {
  tenant it(world, others);
  EXPECT_EQ(world.wake, world.t + limits::bridged_idle);
  world.t += limits::bridged_idle - 1s;
  EXPECT_EQ(it.place.look(world.t), world.t + 1s);
  EXPECT_TRUE(world.idlers.empty());
  it.place.taken();
  world.t += 1s;
  EXPECT_EQ(it.place.look(world.t), world.t - 1s + limits::bridged_idle) << "it was used";
  world.t += limits::bridged_idle;
  EXPECT_EQ(it.place.look(world.t), session_basics::never);
  ASSERT_EQ(world.idlers.size(), 1u);
  EXPECT_EQ(world.idlers[0].client, 1u);
  EXPECT_EQ(world.idlers[0].taken, 1u);
}

TEST_F(a_tenancy, of_everybody_s_root_session_does_not_end) {
  tenant it(world, others, {});
  EXPECT_EQ(world.wake, session_world::never);
  world.t += limits::bridged_idle * 2;
  EXPECT_EQ(it.place.look(world.t), session_basics::never);
  EXPECT_TRUE(world.idlers.empty());
}

TEST_F(a_tenancy, does_not_end_while_something_hangs_on_it) {
  const std::vector<std::pair<std::string, std::function<void(tenant&)>>> reasons{
      {"work waits", [](tenant& x) { x.state.table.wait(std::make_unique<work>(task::ping)); }},
      {"work waits for BUDGET",
       [](tenant& x) { x.state.table.charging().add(std::make_unique<work>(task::call)); }},
      {"work runs", [](tenant& x) { x.state.table.add(1, purpose::work, 1); }},
      {"a subscription", [](tenant& x) { x.state.client.add("a"); }},
      {"a task", [](tenant& x) { x.place.minted(); }},
      {"a question",
       [](tenant& x) { x.place.asks_until(x.state.now() + limits::bridged_idle * 2); }},
      {"a list of its own", [](tenant& x) {
         x.state.last_used = x.state.now();
         x.place.heard_of_change();
       }}};
  for (const auto& [why, happens] : reasons) {
    tenant it(world, others);
    it.be_ready();
    world.t += limits::list_changed_most * 2;
    EXPECT_FALSE(it.place.bound());
    happens(it);
    world.t += limits::list_changed_most * 2;
    EXPECT_TRUE(it.place.bound()) << why;
    EXPECT_EQ(it.place.look(world.t), world.t + limits::bridged_idle) << why;
  }
  EXPECT_TRUE(world.idlers.empty());
}

TEST_F(a_tenancy, gives_the_longest_unused_one_up_when_there_is_no_room) {
  tenant first(world, others), second(world, others), third(world, others);
  for (auto* t : {&first, &second, &third}) t->be_ready();
  first.place.used();
  tenant newcomer(world, others);
  ASSERT_TRUE(newcomer.place.make_room());
  EXPECT_EQ(world.idlers.size(), 1u);
  EXPECT_EQ(newcomer.place.again_at(), world.t + limits::busy_pause);
  // The second one was chosen: it is not chosen again, but used by its client it stays.
  second.place.taken();
  ASSERT_TRUE(newcomer.place.make_room());
  EXPECT_EQ(world.idlers.size(), 2u) << "another one is chosen";
  ASSERT_TRUE(newcomer.place.make_room());
  EXPECT_EQ(world.idlers.size(), 2u) << "that one is leaving";
}

TEST_F(a_tenancy, tells_of_another_by_its_own_doors) {
  session_world elsewhere;
  tenant other(elsewhere, others, {.client = 2});
  other.be_ready();
  other.place.taken();
  tenant newcomer(world, others);
  ASSERT_TRUE(newcomer.place.make_room());
  EXPECT_TRUE(elsewhere.idlers.empty()) << "it does not run now";
  ASSERT_EQ(world.idlers.size(), 1u);
  EXPECT_EQ(world.idlers[0].client, 2u);
  EXPECT_EQ(world.idlers[0].taken, 1u);
}

TEST_F(a_tenancy, finds_no_room_where_none_can_go) {
  tenant closed(world, others), busy(world, others), closing(world, others);
  busy.be_ready();
  busy.state.table.add(1, purpose::work, 1);
  closing.be_ready();
  closing.state.closing = true;
  tenant newcomer(world, others);
  EXPECT_FALSE(newcomer.place.make_room());
  EXPECT_TRUE(world.idlers.empty());
  tenant check(world, others, role{.check = probe_endpoint{}});
  EXPECT_FALSE(check.place.make_room()) << "nobody goes for a check";
}

TEST_F(a_tenancy, asks_for_room_so_often_at_most) {
  tenant other(world, others);
  other.be_ready();
  tenant newcomer(world, others);
  std::size_t attempts = 0;
  while (newcomer.place.make_room()) ++attempts;
  EXPECT_EQ(attempts, limits::busy_attempts);
  newcomer.place.settle();
  EXPECT_FALSE(newcomer.place.make_room()) << "the one that can go is leaving";
  other.place.stay();
  EXPECT_TRUE(newcomer.place.make_room()) << "the next search begins anew";
}

TEST_F(a_tenancy, remembers_the_first_endpoint_that_was_full) {
  tenant it(world, others);
  EXPECT_FALSE(it.place.full());
  it.place.full(2);
  it.place.full(1);
  EXPECT_EQ(it.place.full(), std::optional<std::size_t>(2));
  it.place.settle();
  EXPECT_FALSE(it.place.full());
}

}  // namespace
}  // namespace gate::upstream::testing
