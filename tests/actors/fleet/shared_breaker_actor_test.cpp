// A circuit that several instances share, and what each of them does while their store is away.
#include "actors/fleet/shared_breaker_actor.hpp"

#include "actors/fleet/shared_circuit.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/guards/guard_stage.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;

struct shared_circuits : guards::testing::guard_test {
  using ear = guards::testing::ear<breaker_listener, breaker_told>;

  shared_circuits() {
    sim::teach_scripts(*store, 1'795'000'000'000ms);
    for (int i = 0; i < 3; ++i) {
      store_handle door = system().spawn<sim::fake_store_door>(store);
      guards::breaker_parts parts{
          .index = 4,
          .id = "notes",
          .settings = {.failure_threshold = 3, .half_open_after = 30s},
          .request = 10s,
          .state = numbers.get(metric::upstream_breaker_state, {std::to_string(i)})};
      instances.push_back(system().spawn<shared_breaker_actor>(nullptr, std::move(parts), door));
      settle();
      listeners.emplace_back(system());
      tell(instances.back(), listen_to_breaker{listeners.back().handle});
    }
  }
  void end(std::size_t i, verdict how, std::uint64_t lease = 0) {
    tell(instances.at(i), request_ended{how, lease});
  }
  std::uint64_t lease(std::size_t i, std::chrono::milliseconds longest = {}) {
    tell(instances.at(i), want_lease{++number, asker.handle, longest});
    EXPECT_EQ(asker.last().number, number);
    return asker.last().lease;
  }
  breaker_state state(std::size_t i) { return listeners.at(i).last().state; }
  void expect_all(breaker_state s) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(state(i), s) << i;
  }
  void open() {
    for (std::size_t i = 0; i < 3; ++i) end(i, verdict::failure);
    expect_all(breaker_state::open);
  }
  /// Operations of circuits that reached the store.
  std::size_t asked() const { return store->seen().size(); }

  metrics numbers;
  std::shared_ptr<sim::fake_store> store = std::make_shared<sim::fake_store>();
  std::vector<breaker_handle> instances;
  std::deque<ear> listeners;
  guards::testing::ear<lease_user, lease_told> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(shared_circuits, open_for_all_when_the_failures_of_all_are_enough) {
  end(0, verdict::failure);
  end(1, verdict::failure);
  expect_all(breaker_state::closed);
  end(2, verdict::failure);
  expect_all(breaker_state::open);
  EXPECT_EQ(logged("The circuit of an upstream is open"), 3U) << "each instance says so";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lease(i), 0U);
}

TEST_F(shared_circuits, forget_failures_when_a_request_of_any_instance_succeeds) {
  for (int i = 0; i < 5; ++i) {
    end(0, verdict::failure);
    end(1, verdict::failure);
    EXPECT_FALSE(listeners[2].last().clean);
    end(2, verdict::success);
    for (auto& l : listeners) EXPECT_TRUE(l.last().clean);
  }
  expect_all(breaker_state::closed);
}

TEST_F(shared_circuits, that_are_closed_cost_no_call_a_question) {
  const auto before = asked();
  for (std::size_t i = 0; i < 3; ++i) {
    end(i, verdict::success);
    end(i, verdict::neutral);
    EXPECT_EQ(lease(i), lease_told::not_leased);
    tell(instances[i], upstream_reached{});
  }
  EXPECT_EQ(asked(), before);
}

TEST_F(shared_circuits, give_one_lease_over_the_fleet) {
  open();
  advance(30s);
  expect_all(breaker_state::half_open);
  const auto mine = lease(1);
  EXPECT_NE(mine, 0U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lease(i), 0U) << i;
  end(1, verdict::success, mine);
  expect_all(breaker_state::closed);
  for (auto& l : listeners) EXPECT_TRUE(l.last().clean);
}

TEST_F(shared_circuits, open_again_when_the_probe_fails_or_is_lost) {
  open();
  advance(30s);
  end(0, verdict::failure, lease(0));
  expect_all(breaker_state::open);
  advance(30s);
  const auto lost = lease(2);
  EXPECT_NE(lost, 0U);
  advance(10s);
  expect_all(breaker_state::open);
  end(2, verdict::success, lost);
  expect_all(breaker_state::open);
}

TEST_F(shared_circuits, are_half_open_for_all_when_one_has_seen_a_sign_of_life) {
  open();
  tell(instances[2], upstream_reached{});
  expect_all(breaker_state::half_open);
}

TEST_F(shared_circuits, ignore_what_was_admitted_before_they_opened) {
  open();
  const auto before = asked();
  end(0, verdict::success);
  end(1, verdict::failure);
  EXPECT_EQ(asked(), before) << "it would change nothing";
  expect_all(breaker_state::open);
}

TEST_F(shared_circuits, go_on_alone_while_the_store_is_away_and_count_what_stands_there_behind) {
  store->go();
  settle();
  for (int i = 0; i < 3; ++i) end(0, verdict::failure);
  EXPECT_EQ(state(0), breaker_state::open);
  EXPECT_EQ(state(1), breaker_state::closed) << "it has heard nothing";
  advance(30s);
  EXPECT_EQ(state(0), breaker_state::half_open);
  const auto mine = lease(0);
  EXPECT_NE(mine, 0U);
  EXPECT_EQ(lease(0), 0U);
  end(0, verdict::failure, mine);
  EXPECT_EQ(state(0), breaker_state::open);
  store->back();
  settle();
  expect_all(breaker_state::closed);
}

TEST_F(shared_circuits, that_were_open_stay_so_when_the_store_goes) {
  open();
  store->go();
  settle();
  expect_all(breaker_state::open);
  advance(30s);
  expect_all(breaker_state::half_open);
  store->back();
  settle();
  expect_all(breaker_state::half_open);
  const auto mine = lease(0);
  EXPECT_NE(mine, 0U);
  EXPECT_EQ(lease(1), 0U);
}

TEST_F(shared_circuits, work_although_the_store_refuses) {
  store->refuse("-OOM command not allowed");
  for (int i = 0; i < 3; ++i) end(0, verdict::failure);
  EXPECT_EQ(state(0), breaker_state::open);
  advance(30s);
  EXPECT_EQ(state(0), breaker_state::half_open);
  end(0, verdict::success, lease(0));
  EXPECT_EQ(state(0), breaker_state::closed);
  store->refuse({});
  advance(limits::store_circuit_look);
  end(1, verdict::failure);
  end(1, verdict::failure);
  end(0, verdict::failure);
  expect_all(breaker_state::open);
}

TEST_F(shared_circuits, survive_a_store_that_has_forgotten_them) {
  open();
  store->forget_all();
  advance(31s);
  expect_all(breaker_state::closed);
  open();
}

TEST_F(shared_circuits, do_not_go_back_for_news_that_come_late) {
  store->hold_news(true);
  end(0, verdict::failure);
  end(0, verdict::failure);
  end(0, verdict::failure);
  ASSERT_EQ(store->held(), 2U);
  store->tell(1);  // open
  settle();
  EXPECT_EQ(state(1), breaker_state::open);
  store->tell(0);  // one failure
  settle();
  EXPECT_EQ(state(1), breaker_state::open);
  EXPECT_EQ(state(0), breaker_state::open);
}

TEST(circuits_as_published, are_read_as_they_were_written) {
  for (const auto& c :
       {circuit{}, circuit{breaker_state::open, 3, guards::breaker::cause::probe_lost, 7ms, 12},
        circuit{breaker_state::half_open, 3, guards::breaker::cause::failures, {}, 1}}) {
    const auto again = read_circuit(std::string_view(published(c)));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, c.state);
    EXPECT_EQ(again->failures, c.failures);
    EXPECT_EQ(again->why, c.why);
    EXPECT_EQ(again->ends_in, c.ends_in);
    EXPECT_EQ(again->version, c.version);
  }
  for (const std::string_view bad : {"", "1", "1 2 3 4", "3 0 0 -1 1", "0 0 0 -2 1", "0 0 0 -1 1 ",
                                     "0  0 0 -1 1", "a 0 0 -1 1", "0 -1 0 -1 1"})
    EXPECT_FALSE(read_circuit(bad)) << bad;
}

}  // namespace
}  // namespace gate::fleet
