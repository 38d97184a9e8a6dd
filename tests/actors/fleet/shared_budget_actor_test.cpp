// Budgets that hold over several instances, and what is charged while their store is away.
#include "actors/fleet/shared_budget_actor.hpp"

#include "actors/fleet/debts.hpp"
#include "actors/fleet/shared_counters.hpp"
#include "actors/fleet/stage_question.hpp"
#include "simulations/world/shared_scripts.hpp"
#include "tests/actors/guards/guard_stage.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono;
using config::budget_period;

allowances_ptr paid_by(std::vector<allowance> all) {
  return std::make_shared<const std::vector<allowance>>(std::move(all));
}

struct shared_budgets : guards::testing::guard_test {
  /// An hour before the year ends, at the store; instances may think otherwise.
  static constexpr system_clock::time_point start = sys_days{year{2026} / 12 / 31} + 23h;

  shared_budgets() {
    const auto begun = now();
    sim::teach_scripts(*store, floor<milliseconds>(start.time_since_epoch()) -
                                   floor<milliseconds>(begun.time_since_epoch()));
    for (int i = 0; i < 3; ++i) {
      store_handle door = system().spawn<sim::fake_store_door>(store);
      const auto differs = wrong[i];
      shared_budget_parts parts{
          door,
          [this, begun, differs] {
            return start + duration_cast<system_clock::duration>(now() - begun) + differs;
          },
          counted.get(metric::budget_degraded), "i" + std::to_string(i), 3};
      instances.push_back(system().spawn<shared_budget_actor>(nullptr, std::move(parts)));
      settle();
    }
  }
  charged ask(std::size_t instance, allowances_ptr scopes) {
    tell(instances.at(instance), charge{++number, std::move(scopes), asker.handle});
    EXPECT_EQ(asker.heard->size(), number) << "one answer for one question";
    EXPECT_EQ(asker.last().number, number);
    return asker.last();
  }
  bool degraded(int times) {
    return counted.expose().find("gate_budget_degraded_total " + std::to_string(times)) !=
           std::string::npos;
  }
  static constexpr std::array<seconds, 3> wrong{0s, 2h, -3h};
  metrics counted;
  std::shared_ptr<sim::fake_store> store = std::make_shared<sim::fake_store>();
  std::vector<budget_handle> instances;
  guards::testing::ear<budget_user, charged> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(shared_budgets, hold_for_all_instances_together_by_the_clock_of_the_store) {
  const auto scopes = paid_by(
      {{{scope::upstream, "notes"}, budget_period::month, 4}, {{}, budget_period::day, 100}});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(ask(i % 3, scopes).yes) << i;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto no = ask(i, scopes);
    EXPECT_FALSE(no.yes);
    EXPECT_EQ(no.scope, (scope_key{scope::upstream, "notes"}));
    EXPECT_EQ(no.used, 4);
    EXPECT_EQ(no.limit, 4);
    EXPECT_EQ(no.resets, sys_days{year{2027} / 1 / 1});
  }
  advance(1h);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(ask(i, scopes).yes) << "a new year";
  EXPECT_TRUE(degraded(0));
}

TEST_F(shared_budgets, are_charged_in_one_question_by_all_that_wait) {
  const auto scopes = paid_by({{{}, budget_period::day, 3}, {{}, budget_period::month, 100}});
  const auto before = store->seen().size();
  hold(true);
  for (std::uint64_t n = 1; n <= 5; ++n) tell(instances[0], charge{n, scopes, asker.handle});
  hold(false);
  settle();
  EXPECT_EQ(store->seen().size(), before + 1);
  ASSERT_EQ(asker.heard->size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*asker.heard)[i].number, i + 1);
    EXPECT_EQ((*asker.heard)[i].yes, i < 3) << i;
  }
  EXPECT_EQ(asker.last().used, 3);
  number = 5;
  const auto no = ask(1, paid_by({{{}, budget_period::month, 4}}));
  EXPECT_TRUE(no.yes) << "what was refused is not charged";
  EXPECT_FALSE(ask(1, paid_by({{{}, budget_period::month, 4}})).yes);
}

TEST_F(shared_budgets, are_charged_all_or_none) {
  EXPECT_TRUE(ask(0, paid_by({{{scope::tenant, "a"}, budget_period::day, 1}})).yes);
  const auto no =
      ask(1, paid_by({{{}, budget_period::day, 1}, {{scope::tenant, "a"}, budget_period::day, 1}}));
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.scope.what, scope::tenant);
  EXPECT_TRUE(ask(2, paid_by({{{}, budget_period::day, 1}})).yes);
}

TEST_F(shared_budgets, get_back_what_was_not_sent) {
  const auto scopes = paid_by({{{}, budget_period::day, 1}});
  const auto paid = ask(1, scopes);
  EXPECT_TRUE(paid.yes);
  EXPECT_FALSE(ask(0, scopes).yes);
  tell(instances[1], refund{paid.paid, paid.at});
  EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_FALSE(ask(2, scopes).yes);
}

TEST_F(shared_budgets, are_charged_here_while_the_store_is_away_and_there_when_it_returns) {
  const auto scopes = paid_by({{{}, budget_period::day, 10}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(ask(i, scopes).yes);
  store->go();
  settle();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_TRUE(ask(1, scopes).yes);
  EXPECT_TRUE(degraded(5));
  store->back();
  settle();
  EXPECT_TRUE(ask(2, scopes).yes) << "the ninth";
  EXPECT_TRUE(ask(2, scopes).yes) << "the tenth";
  const auto no = ask(2, scopes);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.used, 10);
  EXPECT_TRUE(degraded(5));
}

TEST_F(shared_budgets, are_told_once_what_was_charged_alone_however_often_it_is_said) {
  const auto scopes = paid_by({{{}, budget_period::day, 10}});
  store->go();
  settle();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ask(0, scopes).yes);
  store->fall_silent(true);  // it does what it is asked, and nobody hears of it
  store->back();
  advance(2 * limits::store_operation);
  store->speak();
  EXPECT_TRUE(ask(0, scopes).yes) << "the sixth: and it says the five again";
  EXPECT_TRUE(ask(1, scopes).yes);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(2, scopes).yes);
  const auto no = ask(1, scopes);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.used, 10);
}

TEST_F(shared_budgets, hold_when_the_store_has_lost_its_data) {
  const auto scopes = paid_by(
      {{{scope::upstream, "notes"}, budget_period::month, 10}, {{}, budget_period::day, 100}});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(ask(i % 3, scopes).yes);
  store->go();
  settle();
  EXPECT_TRUE(ask(1, scopes).yes) << "the ninth, which nobody else knows of";
  store->forget_all();
  store->back();
  settle();
  EXPECT_TRUE(ask(2, scopes).yes);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto no = ask(i, scopes);
    EXPECT_FALSE(no.yes);
    EXPECT_EQ(no.used, 10);
  }
}

TEST_F(shared_budgets, count_what_was_used_before_and_since_whoever_says_so_first) {
  const auto scopes = paid_by({{{}, budget_period::day, 20}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(ask(i, scopes).yes);  // they know of 1, 2 and 3
  store->go();
  settle();
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_TRUE(ask(2, scopes).yes);
  store->forget_all();
  store->cut_off(2);
  store->back();
  settle();
  EXPECT_TRUE(ask(1, scopes).yes) << "used again before all have said what they know";
  store->let_in(2);
  settle();
  for (int n = 9; n < 20; ++n) EXPECT_TRUE(ask(n % 3, scopes).yes) << n;
  EXPECT_FALSE(ask(0, scopes).yes);
}

TEST_F(shared_budgets, are_not_told_again_to_a_store_that_has_its_data) {
  const auto scopes = paid_by({{{}, budget_period::day, 2}});
  EXPECT_TRUE(ask(0, scopes).yes);
  const auto paid = ask(1, scopes);
  EXPECT_FALSE(ask(0, scopes).yes);
  tell(instances[1], refund{paid.paid, paid.at});
  store->go();
  store->back();
  settle();
  EXPECT_TRUE(ask(2, scopes).yes) << "what was given back stays so";
}

TEST_F(shared_budgets, that_are_used_up_stay_so_while_the_store_is_away) {
  const auto scopes = paid_by({{{}, budget_period::day, 1}});
  EXPECT_TRUE(ask(0, scopes).yes);
  EXPECT_FALSE(ask(1, scopes).yes);
  store->go();
  settle();
  EXPECT_FALSE(ask(1, scopes).yes);
  EXPECT_FALSE(ask(0, scopes).yes);
}

TEST_F(shared_budgets, are_charged_here_when_the_store_refuses) {
  const auto scopes = paid_by({{{}, budget_period::day, 1}});
  for (const auto* words : {"-OOM command not allowed", "-READONLY a replica", ":7", "*1\r\n:0"}) {
    store->refuse(words);
    const bool yes = ask(0, scopes).yes;
    EXPECT_EQ(yes, number == 1) << words;
  }
  EXPECT_TRUE(degraded(4));
}

// --- together with the limit of an upstream ------------------------------------------------------

struct shared_stages : shared_budgets {
  static rate_scopes_ptr limit(std::int64_t per_minute) {
    return std::make_shared<const std::vector<rate_scope>>(
        1, rate_scope{{scope::upstream, "notes"}, per_minute});
  }
  admitted enter(std::size_t instance, std::int64_t per_minute, allowances_ptr costs) {
    tell(instances.at(instance),
         admit{++entered, limit(per_minute), entrance.handle, std::move(costs)});
    EXPECT_EQ(entrance.heard->size(), entered) << "one answer for one question";
    EXPECT_EQ(entrance.last().number, entered);
    return entrance.last();
  }
  guards::testing::ear<admission_user, admitted> entrance{system()};
  std::uint64_t entered = 0;
};

TEST_F(shared_stages, are_one_question) {
  const auto costs = paid_by({{{}, budget_period::day, 10}});
  const auto before = store->seen().size();
  const auto yes = enter(0, 5, costs);
  EXPECT_EQ(store->seen().size(), before + 1);
  EXPECT_TRUE(yes.yes);
  ASSERT_TRUE(yes.price);
  EXPECT_TRUE(yes.price->yes);
  EXPECT_EQ(yes.price->paid, costs);
  tell(instances[0], refund{yes.price->paid, yes.price->at});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(enter(1, 5, costs).yes);
  EXPECT_EQ(ask(2, paid_by({{{}, budget_period::day, 4}})).used, 4) << "one was given back";
  EXPECT_TRUE(degraded(0));
}

TEST_F(shared_stages, count_in_all_or_in_none_and_the_limit_refuses_first) {
  const auto costs = paid_by({{{}, budget_period::day, 2}});
  EXPECT_TRUE(enter(0, 3, costs).price->yes);
  EXPECT_TRUE(enter(1, 3, costs).price->yes);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto no = enter(i % 3, 3, costs);
    EXPECT_TRUE(no.yes) << "what has no budget is not counted";
    ASSERT_TRUE(no.price);
    EXPECT_FALSE(no.price->yes);
    EXPECT_EQ(no.price->used, 2);
    EXPECT_EQ(no.price->limit, 2);
  }
  const auto full = enter(0, 2, costs);
  EXPECT_FALSE(full.yes);
  EXPECT_FALSE(full.price);
  EXPECT_EQ(full.refused_by, scope::upstream);
  EXPECT_GE(full.retry_after, 1s);
}

TEST_F(shared_stages, are_decided_here_in_the_same_way_while_the_store_is_away) {
  const auto costs = paid_by({{{}, budget_period::day, 2}});
  EXPECT_TRUE(enter(0, 3, costs).price->yes);
  store->go();
  settle();
  EXPECT_TRUE(enter(0, 3, costs).price->yes);
  EXPECT_TRUE(degraded(1));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(enter(0, 3, costs).price->yes);
  EXPECT_FALSE(enter(0, 2, costs).yes);
  EXPECT_TRUE(degraded(6)) << "of what a limit refuses no budget is asked";
  EXPECT_TRUE(enter(0, 3, nullptr).yes) << "the third";
  EXPECT_FALSE(enter(0, 3, nullptr).yes);
  store->back();
  settle();
  const auto no = ask(1, costs);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.used, 2) << "it was told";
}

TEST_F(shared_stages, hold_when_the_store_has_lost_its_data_and_does_not_listen_at_once) {
  const auto costs = paid_by({{{}, budget_period::day, 100}});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(enter(i % 3, 10, costs).yes);
  store->go();
  settle();
  store->forget_all();
  store->refuse("-LOADING Redis is loading the dataset in memory");
  store->back();
  settle();
  store->refuse({});
  EXPECT_TRUE(enter(1, 10, costs).yes);
  EXPECT_TRUE(enter(1, 10, costs).yes);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(enter(i, 10, costs).yes) << i;
  EXPECT_EQ(ask(2, paid_by({{{}, budget_period::day, 10}})).used, 10);
}

TEST_F(shared_stages, go_by_the_period_of_the_store) {
  const auto costs = paid_by({{{}, budget_period::hour, 5}});
  EXPECT_TRUE(enter(1, 1, costs).price->yes) << "whose clock is two hours ahead";
  EXPECT_FALSE(enter(0, 1, costs).yes) << "counted once, though it was asked for twice";
  EXPECT_TRUE(degraded(0));
}

TEST_F(shared_budgets, cost_nobody_a_question_who_has_none) {
  const auto before = store->seen().size();
  EXPECT_TRUE(ask(0, nullptr).yes);
  EXPECT_EQ(store->seen().size(), before);
}

TEST(debts_of_an_instance, are_told_in_portions_that_stay_as_they_are) {
  debts it("i:", 2 * limits::store_debts_at_once);
  const auto owed = [](int n) { return debt{"k" + std::to_string(n), {}, 1}; };
  for (std::size_t i = 0; i < 2 * limits::store_debts_at_once; ++i)
    EXPECT_TRUE(it.add(owed(static_cast<int>(i))));
  EXPECT_FALSE(it.add(owed(-1))) << "there is no room";
  EXPECT_TRUE(it.add(owed(0))) << "that one is known";
  auto first = it.next();
  EXPECT_EQ(first.all.size(), limits::store_debts_at_once);
  EXPECT_FALSE(it.add(owed(-1))) << "the store has not taken it";
  const auto name = first.name;
  it.unpaid(std::move(first));
  first = it.next();
  EXPECT_EQ(first.name, name);
  EXPECT_EQ(first.all.size(), limits::store_debts_at_once);
  it.paid(first);
  EXPECT_TRUE(it.add(owed(-1)));
  const auto second = it.next();
  EXPECT_NE(second.name, name);
  EXPECT_EQ(it.next().all.size(), 1U);
  EXPECT_TRUE(it.empty());
}

TEST_F(shared_budgets, show_what_this_instance_knows_and_charge_nothing) {
  const auto scopes = paid_by({{{}, budget_period::day, 3}});
  ask(0, scopes);
  ask(1, scopes);
  const auto use = [&](std::size_t instance) {
    const auto shown = this->gate::sim::actor_stage::ask<usage_shown>(instances.at(instance),
                                                                      show_usage{nullptr, scopes});
    return shown.get().budgets.at(0);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(use(0).used, 1);
    EXPECT_EQ(use(1).used, 2);
    EXPECT_EQ(use(1).resets, sys_days{year{2027} / 1 / 1}) << "by the store's clock";
  }
  EXPECT_TRUE(ask(2, scopes).yes);
  EXPECT_FALSE(ask(0, scopes).yes);
}

}  // namespace
}  // namespace gate::fleet
