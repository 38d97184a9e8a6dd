#include "actors/guards/budget_table.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/actors/guards/dates.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono;
using config::budget_period;
using instant = budget_table::time_point;

allowance server(std::int64_t limit, budget_period p = budget_period::month) {
  return {{}, p, limit};
}
allowance tenant(std::string name, std::int64_t limit, budget_period p = budget_period::month) {
  return {{scope::tenant, std::move(name)}, p, limit};
}
allowance upstream(std::string name, std::int64_t limit, budget_period p = budget_period::month) {
  return {{scope::upstream, std::move(name)}, p, limit};
}

struct a_budget_table : ::testing::Test {
  budget_table::answer ask(std::vector<allowance> scopes) { return it.charge(scopes, t); }
  int charged(int tries, const std::vector<allowance>& scopes) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += it.charge(scopes, t).yes;
    return out;
  }
  budget_table it{1000};
  instant t = at(2026, 11, 21, 10h + 30min);
};

TEST_F(a_budget_table, lets_go_what_has_no_budget) {
  EXPECT_EQ(charged(100, {}), 100);
  EXPECT_EQ(it.size(), 0U);
}

TEST_F(a_budget_table, counts_to_the_limit_and_begins_anew_with_the_next_period) {
  struct row {
    budget_period period;
    instant end;
  };
  for (const auto& [period, end] :
       {row{budget_period::hour, at(2026, 11, 21, 11h)}, row{budget_period::day, at(2026, 11, 22)},
        row{budget_period::month, at(2026, 12, 1)}}) {
    it = budget_table{};
    t = at(2026, 11, 21, 10h + 30min);
    EXPECT_EQ(charged(9, {server(3, period)}), 3);
    const auto no = ask({server(3, period)});
    EXPECT_FALSE(no.yes);
    EXPECT_EQ(no.used, 3);
    EXPECT_EQ(no.resets, end);
    t = end - system_clock::duration{1};
    EXPECT_EQ(charged(9, {server(3, period)}), 0) << "until the very last";
    t = end;
    EXPECT_EQ(charged(9, {server(3, period)}), 3);
    t = end + days{400};
    EXPECT_EQ(charged(9, {server(3, period)}), 3) << "after a long silence";
  }
}

TEST_F(a_budget_table, keeps_kinds_names_and_periods_apart) {
  EXPECT_EQ(charged(3, {server(1)}), 1);
  EXPECT_EQ(charged(3, {tenant("a", 1)}), 1);
  EXPECT_EQ(charged(3, {upstream("a", 1)}), 1);
  EXPECT_EQ(charged(3, {tenant("b", 1)}), 1);
  EXPECT_EQ(charged(3, {tenant("b", 1, budget_period::day)}), 1);
  EXPECT_EQ(charged(3, {tenant("b", 1, budget_period::hour)}), 1);
}

TEST_F(a_budget_table, charges_all_scopes_or_none) {
  EXPECT_EQ(charged(9, {upstream("x", 2), tenant("a", 5), server(3)}), 2);
  auto no = ask({upstream("x", 2), tenant("a", 5), server(3)});
  EXPECT_EQ(no.refused_by, 0U);
  EXPECT_EQ(charged(9, {upstream("y", 2), tenant("a", 5), server(3)}), 1);
  no = ask({upstream("y", 2), tenant("a", 5), server(3)});
  EXPECT_EQ(no.refused_by, 2U);
  EXPECT_EQ(no.used, 3);
  EXPECT_EQ(charged(9, {tenant("a", 5)}), 2) << "three were charged, and no refusal";
  EXPECT_EQ(charged(9, {upstream("y", 2)}), 1);
  EXPECT_EQ(charged(9, {upstream("z", 2), server(3)}), 0);
  EXPECT_EQ(charged(9, {upstream("z", 2)}), 2);
}

TEST_F(a_budget_table, keeps_what_was_used_when_the_limit_changes) {
  EXPECT_EQ(charged(9, {server(5)}), 5);
  EXPECT_EQ(charged(9, {server(7)}), 2) << "raised";
  const auto no = ask({server(2)});
  EXPECT_FALSE(no.yes) << "lowered";
  EXPECT_EQ(no.used, 7);
  EXPECT_EQ(charged(9, {server(8)}), 1);
}

TEST_F(a_budget_table, gives_no_period_twice_when_the_clock_goes_back) {
  EXPECT_EQ(charged(9, {server(5)}), 5);
  t = at(2026, 12, 1);
  EXPECT_EQ(charged(2, {server(5)}), 2);
  t = at(2026, 11, 30, 24h - 1ns);
  auto a = ask({server(5)});
  EXPECT_TRUE(a.yes);
  EXPECT_TRUE(a.clock_went_back);
  EXPECT_FALSE(ask({server(5)}).clock_went_back) << "has been told";
  a = ask({server(4)});
  EXPECT_FALSE(a.yes);
  EXPECT_EQ(a.used, 4) << "in December";
  EXPECT_EQ(a.resets, at(2027, 1, 1));
  EXPECT_EQ(charged(9, {upstream("new", 2)}), 2) << "in December";
  t = at(2026, 12, 5);
  EXPECT_EQ(charged(9, {server(5)}), 1);
  EXPECT_EQ(charged(9, {upstream("new", 2)}), 0);
  t = at(2026, 11, 5);
  EXPECT_TRUE(ask({server(5)}).clock_went_back) << "had caught up meanwhile";
}

TEST_F(a_budget_table, does_not_mind_a_clock_that_goes_back_within_the_period) {
  EXPECT_EQ(charged(2, {server(5)}), 2);
  t -= 29min;
  const auto a = ask({server(5, budget_period::hour), server(5)});
  EXPECT_TRUE(a.yes);
  EXPECT_FALSE(a.clock_went_back);
  t -= 2min;
  EXPECT_FALSE(ask({server(5)}).clock_went_back) << "the month is the same";
  EXPECT_TRUE(ask({server(5), server(5, budget_period::hour)}).clock_went_back);
}

TEST_F(a_budget_table, forgets_what_belongs_to_periods_that_are_over) {
  for (int i = 0; i < 100; ++i) {
    ask({upstream(std::to_string(i), 5, budget_period::hour)});
    ask({upstream(std::to_string(i), 5, budget_period::day)});
    ask({upstream(std::to_string(i), 5)});
  }
  EXPECT_EQ(it.size(), 300U);
  t += 1h;
  ask({});
  EXPECT_EQ(it.size(), 200U);
  t += 24h;
  ask({});
  EXPECT_EQ(it.size(), 100U);
  t += days{30};
  ask({});
  EXPECT_EQ(it.size(), 0U);
}

TEST(a_budget_table_that_is_full, does_not_charge_more_scopes_and_tells_once_a_period) {
  budget_table it(2);
  auto t = at(2026, 11, 21);
  const auto ask = [&](const std::string& id) {
    return it.charge(std::vector{upstream(id, 1, budget_period::day), server(100)}, t);
  };
  EXPECT_FALSE(ask("a").overflows);
  EXPECT_FALSE(ask("b").overflows);
  EXPECT_TRUE(ask("c").overflows);
  EXPECT_TRUE(ask("c").yes);
  EXPECT_FALSE(ask("d").overflows);
  EXPECT_FALSE(ask("a").yes) << "who is charged goes on being charged";
  t += days{1};
  EXPECT_FALSE(ask("c").overflows);
  EXPECT_FALSE(ask("c").yes);
  EXPECT_FALSE(ask("d").overflows);
  EXPECT_TRUE(ask("e").overflows);
}

/// However the clock jumps, and whoever asks: no more is spent than the periods that were reached.
TEST(a_budget_table_under_a_mad_clock, never_spends_more_than_was_given) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 dice(seed);
    budget_table it;
    auto t = at(2026, 1, 15);
    auto latest = t;
    std::int64_t spent = 0, periods = 1;
    constexpr std::int64_t limit = 20;
    auto held = period_of(budget_period::hour, t);
    it.charge({}, t);
    for (int i = 0; i < 3000; ++i) {
      t += minutes{static_cast<int>(dice() % 61) - 29};
      latest = std::max(latest, t);
      if (const auto p = period_of(budget_period::hour, latest); p != held) {
        held = p;
        ++periods;
      }
      const auto a = it.charge(std::vector{server(limit, budget_period::hour)}, t);
      spent += a.yes;
      ASSERT_LE(spent, periods * limit);
      if (a.yes) continue;
      ASSERT_EQ(a.used, limit);
      ASSERT_EQ(a.resets, held.end);
    }
  }
}

TEST_F(a_budget_table, takes_back_what_was_charged_in_the_same_period) {
  const std::vector scopes{upstream("x", 5), server(3, budget_period::day)};
  EXPECT_EQ(charged(9, scopes), 3);
  const auto then = t;
  t += 1h;
  it.refund(scopes, then);
  EXPECT_EQ(charged(9, scopes), 1);
  EXPECT_EQ(ask({server(3, budget_period::day)}).used, 3);
  EXPECT_EQ(charged(9, {upstream("x", 5)}), 2) << "each scope has one back";
}

TEST_F(a_budget_table, takes_nothing_back_of_a_period_that_is_over) {
  const std::vector scopes{upstream("x", 2, budget_period::hour), server(5)};
  EXPECT_EQ(charged(2, scopes), 2);
  const auto then = t;
  t += 1h;
  EXPECT_EQ(charged(9, {upstream("x", 2, budget_period::hour)}), 2);
  it.refund(scopes, then);
  EXPECT_EQ(charged(9, {upstream("x", 2, budget_period::hour)}), 0) << "another hour";
  EXPECT_EQ(charged(9, {server(5)}), 4) << "the same month: one of the two is back";
  it.refund({}, then);
  it.refund(std::vector{server(5)}, t + days{40});
  EXPECT_EQ(charged(9, {server(5)}), 0) << "a month that has not begun";
}

TEST_F(a_budget_table, takes_nothing_back_of_whom_it_never_charged) {
  it.refund(std::vector{upstream("stranger", 2)}, t);
  EXPECT_EQ(it.size(), 0U);
  EXPECT_EQ(charged(9, {upstream("stranger", 2)}), 2);
  it.refund(std::vector{upstream("stranger", 2, budget_period::day)}, t);
  EXPECT_EQ(charged(9, {upstream("stranger", 2)}), 0);
}

TEST_F(a_budget_table, never_owes_anything) {
  EXPECT_EQ(charged(1, {server(2)}), 1);
  for (int i = 0; i < 5; ++i) it.refund(std::vector{server(2)}, t);
  EXPECT_EQ(charged(9, {server(2)}), 2) << "what was used, and no more, is back";
}

TEST_F(a_budget_table, shows_what_is_used_and_changes_nothing) {
  const auto daily = tenant("a", 3, budget_period::day);
  EXPECT_EQ(it.use(daily, t).used, 0);
  EXPECT_EQ(it.use(daily, t).resets, at(2026, 11, 22)) << "also before the first charge";
  ask({daily, server(9)});
  ask({daily, server(9)});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(it.use(daily, t).used, 2);
  EXPECT_EQ(it.use(server(9), t).used, 2);
  EXPECT_EQ(it.use(tenant("b", 3, budget_period::day), t).used, 0);
  EXPECT_EQ(it.use(daily, at(2026, 11, 22)).used, 0);
  EXPECT_EQ(it.use(daily, at(2026, 11, 22)).resets, at(2026, 11, 23));
  EXPECT_EQ(it.use(daily, at(2026, 11, 20)).used, 2) << "a clock that goes back gives nothing";
  EXPECT_EQ(it.size(), 2U);
}

}  // namespace
}  // namespace gate::guards
