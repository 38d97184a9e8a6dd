// ONCE LEDGER before a store that comes and goes: actors/fleet/once, simulations/world/fake_store.
#include "actors/fleet/once_actor.hpp"

#include <gtest/gtest.h>

#include "actors/fleet/shared_windows.hpp"
#include "simulations/world/actor_stage.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "transport/log.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;
using used = used_once::answer;

std::vector<std::string>& log_lines() {
  static std::vector<std::string> all;
  return all;
}

/// Two instances of one fleet, on one stage, with one store.
struct once_ledgers : ::testing::Test {
  once_ledgers() {
    log_lines().clear();
    log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
    sim::teach_scripts(*store, 1'795'000'020'000ms);
    for (auto* it : {&one, &two}) {
      doors.push_back(stage.system().spawn<sim::fake_store_door>(store));
      *it = stage.system().spawn<once_actor>(nullptr, doors.back());
    }
    stage.settle();
  }
  ~once_ledgers() override {
    one = two = nullptr;
    doors.clear();
    log::redirect(nullptr);
  }

  sim::actor_stage::pending<used_once> ask(const once_handle& whom, const std::string& key,
                                           std::chrono::milliseconds ttl = 10min) {
    return stage.ask<used_once>(whom, use_once{key, ttl});
  }
  used_once use_of(const once_handle& whom, const std::string& key, std::int64_t per_minute) {
    return stage.ask<used_once>(whom, use_once{key, 10min, per_minute}).get();
  }
  used use(const once_handle& whom, const std::string& key, std::chrono::milliseconds ttl = 10min) {
    return ask(whom, key, ttl).get().what;
  }

  std::shared_ptr<sim::fake_store> store = std::make_shared<sim::fake_store>();
  sim::actor_stage stage;
  std::vector<store_handle> doors;
  once_handle one, two;
};

TEST_F(once_ledgers, know_together_what_was_used) {
  EXPECT_EQ(use(one, "a"), used::first);
  EXPECT_EQ(use(two, "a"), used::known);
  EXPECT_EQ(use(two, "b"), used::first);
  EXPECT_EQ(use(one, "b"), used::known);
}

TEST_F(once_ledgers, ask_the_store_once_for_what_they_know) {
  use(one, "a");
  use(two, "a");
  EXPECT_EQ(store->seen().size(), 2U);
  use(one, "a");
  use(two, "a");
  EXPECT_EQ(store->seen().size(), 2U);
}

TEST_F(once_ledgers, leave_nothing_in_the_store_in_clear) {
  use(one, "a secret name", 5min);
  ASSERT_EQ(store->seen().size(), 1U);
  EXPECT_EQ(store->seen()[0],
            "SET gate:{once:4a75bd7ef7cb1efe6bafddb0801fc657ff77cbc458a93d7c7f5a79045730c4f7}"
            " 1 NX PX 300000");
}

TEST_F(once_ledgers, forget_in_time) {
  EXPECT_EQ(use(one, "a", 10s), used::first);
  stage.advance(10s);
  EXPECT_EQ(use(two, "a", 10s), used::first);
  EXPECT_EQ(use(one, "a", 10s), used::known);
}

TEST_F(once_ledgers, each_decide_by_themselves_while_the_store_is_away) {
  EXPECT_EQ(use(one, "before"), used::first);
  EXPECT_EQ(use(two, "before"), used::known);
  store->go();
  EXPECT_EQ(use(one, "before"), used::known) << "what it had heard it knows";
  EXPECT_EQ(use(two, "before"), used::known);
  EXPECT_EQ(use(one, "a"), used::first);
  EXPECT_EQ(use(one, "a"), used::known);
  EXPECT_EQ(use(two, "a"), used::first) << "nobody could have told it";
  EXPECT_EQ(log_lines().size(), 2U) << "one line each, however many there were";
}

TEST_F(once_ledgers, tell_the_store_when_it_returns) {
  store->go();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(use(one, std::to_string(i), 1min), used::first);
  EXPECT_EQ(use(one, "short", 1s), used::first);
  EXPECT_EQ(store->seen().size(), 0U);
  stage.advance(20s);
  store->back();
  stage.settle();
  EXPECT_EQ(store->size(), 200U) << "what has ended meanwhile is nobody's concern";
  for (int i = 0; i < 200; ++i) EXPECT_EQ(use(two, std::to_string(i)), used::known);
  EXPECT_EQ(store->seen()[0].substr(store->seen()[0].find('}')), "} 1 NX PX 40000");
  store->go();
  use(one, "again");
  EXPECT_EQ(log_lines().size(), 2U) << "another outage, another line";
}

TEST_F(once_ledgers, tell_a_store_that_has_lost_its_data_what_was_used) {
  EXPECT_EQ(use(one, "a"), used::first);
  EXPECT_EQ(use(one, "short", 1s), used::first);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(use(two, std::to_string(i)), used::first);
  stage.advance(2s);
  store->go();
  store->forget_all();
  store->back();
  stage.settle();
  EXPECT_EQ(store->size(), 201U) << "but for what is over";
  EXPECT_EQ(use(two, "a"), used::known);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(use(one, std::to_string(i)), used::known);
}

TEST_F(once_ledgers, let_no_more_pass_when_the_store_has_lost_its_data) {
  EXPECT_EQ(use_of(one, "a", 2).what, used::first);
  EXPECT_EQ(use_of(two, "b", 2).what, used::first);
  store->go();
  store->forget_all();
  store->back();
  stage.settle();
  EXPECT_EQ(use_of(one, "c", 2).what, used::busy);
}

TEST_F(once_ledgers, go_on_telling_a_store_that_goes_away_again) {
  store->go();
  use(one, "a");
  store->back();
  store->go();  // before anything was told
  stage.settle();
  EXPECT_EQ(store->size(), 0U);
  store->back();
  stage.settle();
  EXPECT_EQ(use(two, "a"), used::known);
}

TEST_F(once_ledgers, wait_for_a_silent_store_and_decide_then) {
  store->fall_silent();
  auto p = ask(one, "a");
  EXPECT_FALSE(p.done());
  stage.advance(499ms);
  EXPECT_FALSE(p.done());
  stage.advance(1ms);
  EXPECT_EQ(p.get().what, used::first);
  store->speak();
  EXPECT_EQ(use(one, "b"), used::first);
  stage.settle();
  EXPECT_EQ(use(two, "a"), used::known) << "the debt was paid as soon as it spoke";
}

TEST_F(once_ledgers, take_no_offence_at_a_store_that_did_it_and_did_not_say_so) {
  store->fall_silent(true);
  auto p = ask(one, "a");
  stage.advance(500ms);
  EXPECT_EQ(p.get().what, used::first);
  store->speak();
  EXPECT_EQ(use(two, "a"), used::known);
}

TEST_F(once_ledgers, decide_when_the_store_is_lost_in_the_middle) {
  store->delay(300ms);
  auto p = ask(one, "a");
  stage.advance(100ms);
  EXPECT_FALSE(p.done());
  store->go();
  stage.settle();
  EXPECT_EQ(p.get().what, used::first);
}

TEST_F(once_ledgers, decide_when_the_store_refuses) {
  store->refuse("-OOM command not allowed");
  EXPECT_EQ(use(one, "a"), used::first);
  EXPECT_EQ(use(one, "a"), used::known);
  store->refuse("");
  EXPECT_EQ(use(one, "b"), used::first);
  stage.settle();
  EXPECT_EQ(use(two, "a"), used::known);
}

TEST_F(once_ledgers, let_one_of_two_pass_that_come_together) {
  store->delay(10ms);
  auto p = ask(one, "a"), q = ask(one, "a"), r = ask(two, "a");
  stage.advance(10ms);
  EXPECT_EQ(p.get().what, used::first);
  EXPECT_EQ(q.get().what, used::known);
  EXPECT_EQ(r.get().what, used::known);
}

TEST_F(once_ledgers, let_so_many_pass_a_minute_together) {
  EXPECT_EQ(use_of(one, "a", 2).what, used::first);
  EXPECT_EQ(use_of(two, "b", 2).what, used::first);
  for (const auto* it : {&one, &two}) {
    const auto no = use_of(*it, "c", 2);
    EXPECT_EQ(no.what, used::busy);
    EXPECT_GE(no.retry_after, 1s);
  }
  stage.advance(120s);
  EXPECT_EQ(use_of(two, "c", 2).what, used::first) << "what was refused was not used";
}

TEST_F(once_ledgers, count_nothing_that_was_used_before) {
  EXPECT_EQ(use_of(one, "a", 2).what, used::first);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(use_of(two, "a", 2).what, used::known);
  stage.settle();
  EXPECT_EQ(use_of(two, "b", 2).what, used::first);
  EXPECT_EQ(use_of(two, "c", 2).what, used::busy);
}

TEST_F(once_ledgers, know_what_was_exhausted_while_the_store_is_away) {
  EXPECT_EQ(use_of(one, "a", 1).what, used::first);
  EXPECT_EQ(use_of(two, "b", 1).what, used::busy);
  store->go();
  stage.settle();
  EXPECT_EQ(use_of(one, "b", 1).what, used::busy);
  EXPECT_EQ(use_of(two, "b", 1).what, used::busy);
  stage.advance(120s);
  EXPECT_EQ(use_of(one, "b", 1).what, used::first);
  EXPECT_EQ(use_of(one, "c", 1).what, used::busy) << "each counts for itself";
  EXPECT_EQ(use_of(two, "b", 1).what, used::first);
}

TEST_F(once_ledgers, wait_for_a_silent_store_twice_at_most) {
  store->fall_silent();
  auto p = stage.ask<used_once>(one, use_once{"a", 10min, 5});
  stage.advance(999ms);
  EXPECT_FALSE(p.done());
  stage.advance(1ms);
  EXPECT_EQ(p.get().what, used::first);
  EXPECT_LT(2 * limits::store_operation, limits::once_answer);
}

TEST(tokens, are_given_back_to_the_minute_that_they_were_counted_in) {
  const auto r = ask_to_give_back(3, guards::sliding_window::time_point(125s));
  EXPECT_EQ(r.keys, std::vector<std::string>{"gate:{rl}:token"});
  EXPECT_EQ(r.words, std::vector<std::string>{"2"});
}

TEST_F(once_ledgers, answer_those_who_wait_when_they_die) {
  store->fall_silent();
  auto p = ask(one, "a");
  stage.crash(one);
  EXPECT_TRUE(p.done());
  EXPECT_TRUE(*p.error);
}

}  // namespace
}  // namespace gate::fleet
