// Limits that hold over several instances, and what each of them does while their store is away.
#include "actors/fleet/shared_limiter_actor.hpp"

#include <random>

#include "actors/fleet/gathering.hpp"
#include "actors/fleet/scope_names.hpp"
#include "actors/fleet/stage_question.hpp"
#include "actors/fleet/window_copy.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/guards/guard_stage.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;

rate_scopes_ptr together(std::vector<rate_scope> all) {
  return std::make_shared<const std::vector<rate_scope>>(std::move(all));
}

struct shared_limits : guards::testing::guard_test {
  shared_limits() {
    sim::teach_scripts(*store, 1'795'000'000'000ms);
    for (int i = 0; i < 3; ++i) {
      store_handle door = system().spawn<sim::fake_store_door>(store);
      instances.push_back(system().spawn<shared_limiter_actor>(nullptr, door, std::size_t{3}));
      settle();
    }
  }
  admitted ask(std::size_t instance, std::vector<rate_scope> scopes) {
    tell(instances.at(instance), admit{++number, together(std::move(scopes)), asker.handle});
    EXPECT_EQ(asker.heard->size(), number) << "one answer for one question";
    EXPECT_EQ(asker.last().number, number);
    return asker.last();
  }
  std::shared_ptr<sim::fake_store> store = std::make_shared<sim::fake_store>();
  std::vector<rate_limiter_handle> instances;
  guards::testing::ear<admission_user, admitted> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(shared_limits, hold_for_all_instances_together) {
  const std::vector<rate_scope> scopes{{{}, 4}, {{scope::tenant, "a"}, 9}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(ask(i % 3, scopes).yes);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto no = ask(i, scopes);
    EXPECT_FALSE(no.yes);
    EXPECT_EQ(no.refused_by, scope::server);
    EXPECT_GE(no.retry_after, 1s);
    EXPECT_LE(no.retry_after, 120s);
  }
}

TEST_F(shared_limits, count_in_all_scopes_or_in_none) {
  EXPECT_TRUE(ask(0, {{{scope::tenant, "a"}, 1}}).yes);
  EXPECT_FALSE(ask(1, {{{}, 1}, {{scope::tenant, "a"}, 1}}).yes);
  EXPECT_TRUE(ask(2, {{{}, 1}}).yes) << "what was refused was not counted";
}

TEST_F(shared_limits, agree_with_one_table_whatever_instance_is_asked) {
  std::mt19937 dice(7);
  const auto draw = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(dice); };
  guards::rate_table one;
  const auto there = [&] { return now() + 1'795'000'000'000ms; };
  for (int i = 0; i < 3000; ++i) {
    std::vector<rate_scope> scopes{{{}, 30}};
    if (draw(2) != 0) scopes.push_back({{scope::tenant, std::string(1, char('a' + draw(2)))}, 12});
    if (draw(2) != 0) scopes.push_back({{scope::principal, {}, std::uint64_t(1 + draw(3))}, 7});
    const auto wanted = one.admit(scopes, there());
    const auto got = ask(std::size_t(draw(3)), scopes);
    ASSERT_EQ(got.yes, wanted.yes) << i;
    if (!got.yes) {
      EXPECT_EQ(got.refused_by, scopes[wanted.refused_by].key.what);
      EXPECT_EQ(got.retry_after, wanted.retry_after) << i;
    }
    advance(std::chrono::milliseconds(draw(3000)));
  }
}

TEST_F(shared_limits, that_were_exhausted_stay_so_while_the_store_is_away) {
  const std::vector<rate_scope> scopes{{{}, 2}};
  EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_TRUE(ask(1, scopes).yes);
  EXPECT_FALSE(ask(2, scopes).yes);
  store->go();
  settle();
  EXPECT_FALSE(ask(2, scopes).yes) << "it has heard so";
  EXPECT_FALSE(ask(1, scopes).yes) << "its own question was the second";
  EXPECT_TRUE(ask(0, scopes).yes) << "the last that it has heard of was the first of two";
  EXPECT_FALSE(ask(0, scopes).yes);
  advance(120s);
  EXPECT_TRUE(ask(2, scopes).yes);
  store->back();
  settle();
  EXPECT_TRUE(ask(2, scopes).yes) << "the store has counted nothing for two minutes";
}

TEST_F(shared_limits, hold_when_the_store_has_lost_its_data) {
  const std::vector<rate_scope> scopes{{{}, 10}, {{scope::tenant, "a"}, 100}};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(ask(i % 3, scopes).yes);
  store->go();
  settle();
  store->forget_all();
  store->back();
  settle();
  EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_TRUE(ask(1, scopes).yes);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(ask(i, scopes).yes);
  advance(120s);
  EXPECT_TRUE(ask(0, scopes).yes);
  advance(120s);
  store->go();
  store->forget_all();
  store->back();
  const auto before = store->seen().size();
  settle();
  EXPECT_EQ(store->seen().size(), before) << "what is over is not told";
}

TEST_F(shared_limits, are_told_again_to_a_store_that_has_lost_its_data_and_did_not_listen) {
  const std::vector<rate_scope> scopes{{{}, 10}};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(ask(i % 3, scopes).yes);
  store->go();
  settle();
  store->forget_all();
  store->refuse("-LOADING Redis is loading the dataset in memory");
  store->back();
  settle();
  store->refuse({});
  EXPECT_TRUE(ask(1, scopes).yes) << "the ninth, and behind it what was counted before";
  EXPECT_TRUE(ask(1, scopes).yes);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(ask(i, scopes).yes) << i;
}

TEST_F(shared_limits, are_decided_here_when_the_store_says_nothing_in_time) {
  const std::vector<rate_scope> scopes{{{}, 1}};
  store->fall_silent();
  tell(instances[0], admit{1, together(scopes), asker.handle});
  EXPECT_TRUE(asker.heard->empty());
  advance(limits::store_operation);
  ASSERT_EQ(asker.heard->size(), 1U);
  EXPECT_TRUE(asker.last().yes);
}

TEST_F(shared_limits, are_decided_here_when_the_store_refuses_or_says_what_is_no_answer) {
  const std::vector<rate_scope> scopes{{{}, 1}};
  store->refuse("-OOM command not allowed");
  EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_FALSE(ask(0, scopes).yes);
  store->refuse({});
  store->teach(stage_script(), [](auto&&...) { return "*1\r\n:0\r\n"; });
  EXPECT_TRUE(ask(1, scopes).yes);
  EXPECT_FALSE(ask(1, scopes).yes);
}

TEST_F(shared_limits, are_asked_once_for_all_that_wait_and_the_first_come_in) {
  const auto scopes = together(std::vector<rate_scope>{{{}, 5}, {{scope::tenant, "t"}, 3}});
  const auto before = store->seen().size();
  hold(true);
  for (std::uint64_t n = 1; n <= 5; ++n) tell(instances[0], admit{n, scopes, asker.handle});
  hold(false);
  settle();
  EXPECT_EQ(store->seen().size(), before + 1);
  ASSERT_EQ(asker.heard->size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*asker.heard)[i].number, i + 1);
    EXPECT_EQ((*asker.heard)[i].yes, i < 3) << i;
  }
  EXPECT_EQ(asker.last().refused_by, scope::tenant);
  number = 5;
  EXPECT_TRUE(ask(1, {{{}, 5}}).yes) << "the fourth of everybody";
  EXPECT_TRUE(ask(1, {{{}, 5}}).yes);
  EXPECT_FALSE(ask(1, {{{}, 5}}).yes) << "those that were refused are not counted";
}

TEST_F(shared_limits, of_others_are_another_question) {
  const auto plenty = together(std::vector<rate_scope>{{{}, 1000}});
  const auto before = store->seen().size();
  hold(true);
  for (std::uint64_t n = 0; n < limits::store_asked_together + 1; ++n)
    tell(instances[0],
         admit{n, n == 0 ? together(std::vector<rate_scope>{{{}, 1000}}) : plenty, asker.handle});
  tell(instances[0], admit{1000, plenty, asker.handle});
  hold(false);
  settle();
  EXPECT_EQ(store->seen().size(), before + 3) << "no more together than that";
}

TEST_F(shared_limits, cost_nobody_a_question_who_has_none) {
  const auto before = store->seen().size();
  tell(instances[0], admit{1, nullptr, asker.handle});
  EXPECT_TRUE(asker.last().yes);
  EXPECT_EQ(store->seen().size(), before);
}

TEST(windows, are_asked_for_under_names_that_tell_no_caller) {
  const std::vector<rate_scope> scopes{{{}, 10},
                                       {{scope::tenant, "a"}, 9},
                                       {{scope::principal, {}, 0xab}, 8},
                                       {{scope::upstream, "notes"}, 7}};
  const auto r = ask_for_room(5, scopes, 3);
  EXPECT_EQ(r.id, 5U);
  EXPECT_EQ(r.keys, (std::vector<std::string>{"gate:{rl}:server", "gate:{rl}:tenant:a",
                                              "gate:{rl}:principal:00000000000000ab",
                                              "gate:{budget}:rl:upstream:notes"}));
  EXPECT_EQ(r.words, (std::vector<std::string>{"4", "3", "10", "9", "8", "7"}));
}

TEST(windows, are_read_only_from_an_answer_to_the_question) {
  const auto read = [](std::string_view text, std::size_t scopes) {
    return read_stage(resp::parse(text)->root(), scopes, 0).has_value();
  };
  EXPECT_TRUE(read("*6\r\n:0\r\n:7\r\n:1\r\n:1\r\n:1\r\n:0\r\n", 1));
  EXPECT_TRUE(read("*6\r\n:1\r\n:7\r\n:0\r\n:1\r\n:1\r\n:0\r\n", 1));
  EXPECT_FALSE(read("*6\r\n:2\r\n:7\r\n:0\r\n:1\r\n:1\r\n:0\r\n", 1)) << "there is no second one";
  EXPECT_FALSE(read("*6\r\n:0\r\n:7\r\n:1\r\n:1\r\n:-1\r\n:0\r\n", 1));
  EXPECT_FALSE(read("*6\r\n:0\r\n:7\r\n:1\r\n:1\r\n:1\r\n+0\r\n", 1));
  EXPECT_FALSE(read("*6\r\n:0\r\n:7\r\n:1\r\n:1\r\n:1\r\n:0\r\n", 2));
  EXPECT_FALSE(read("*0\r\n", 0));
  EXPECT_FALSE(read(":1\r\n", 1));
}

TEST_F(shared_limits, show_what_this_instance_knows_and_ask_nobody) {
  const std::vector<rate_scope> scopes{{{}, 4}};
  for (std::size_t i = 0; i < 3; ++i) ask(i, scopes);
  const auto used = [&](std::size_t instance) {
    const auto shown = this->gate::sim::actor_stage::ask<usage_shown>(
        instances.at(instance), show_usage{together({{{}, 4}}), nullptr});
    return shown.get().windows.at(0).used;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(used(0), 1) << "as its own last decision had it";
    EXPECT_EQ(used(2), 3);
  }
  EXPECT_TRUE(ask(0, scopes).yes) << "nothing was counted";
  EXPECT_EQ(used(0), 4);
}

}  // namespace
}  // namespace gate::fleet
