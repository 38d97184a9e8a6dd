#include "actors/guards/budget_actor.hpp"

#include "tests/actors/guards/guard_stage.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono;
using config::budget_period;

allowances_ptr scopes_of(std::vector<allowance> all) {
  return std::make_shared<const std::vector<allowance>>(std::move(all));
}

struct the_budget : testing::guard_test {
  budget_handle spawn_it() {
    return system().spawn<budget_actor>([w = wall] { return *w; }, std::size_t{3});
  }
  charged ask(allowances_ptr scopes) {
    tell(it, charge{++number, std::move(scopes), asker.handle});
    EXPECT_EQ(asker.heard->size(), number) << "one answer for one question";
    EXPECT_EQ(asker.last().number, number);
    return asker.last();
  }
  std::shared_ptr<system_clock::time_point> wall =
      std::make_shared<system_clock::time_point>(sys_days{year{2026} / 12 / 31} + 23h);
  budget_handle it = spawn_it();
  testing::ear<budget_user, charged> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(the_budget, answers_each_question_by_the_wall_clock) {
  const auto scopes = scopes_of(
      {{{scope::upstream, "notes"}, budget_period::month, 2}, {{}, budget_period::day, 100}});
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_TRUE(ask(scopes).yes);
  const auto no = ask(scopes);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.scope, (scope_key{scope::upstream, "notes"}));
  EXPECT_EQ(no.used, 2);
  EXPECT_EQ(no.limit, 2);
  EXPECT_EQ(no.resets, sys_days{year{2027} / 1 / 1});
  *wall += 1h;
  EXPECT_TRUE(ask(scopes).yes);
}

TEST_F(the_budget, tells_of_the_scope_that_refused) {
  const auto scopes = scopes_of({{{scope::upstream, "notes"}, budget_period::month, 9},
                                 {{scope::tenant, "acme"}, budget_period::hour, 1},
                                 {{}, budget_period::day, 9}});
  EXPECT_TRUE(ask(scopes).yes);
  const auto no = ask(scopes);
  EXPECT_EQ(no.scope, (scope_key{scope::tenant, "acme"}));
  EXPECT_EQ(no.limit, 1);
}

TEST_F(the_budget, lets_go_what_has_none) {
  EXPECT_TRUE(ask(nullptr).yes);
  EXPECT_TRUE(ask(scopes_of({})).yes);
}

TEST_F(the_budget, says_once_that_the_clock_went_back_and_holds) {
  const auto scopes = scopes_of({{{}, budget_period::month, 3}});
  EXPECT_TRUE(ask(scopes).yes);
  *wall -= days{31};
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_FALSE(ask(scopes).yes);
  EXPECT_EQ(logged("The clock was set back"), 1U);
}

TEST_F(the_budget, says_once_that_it_is_full) {
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(
        ask(scopes_of({{{scope::upstream, std::to_string(i)}, budget_period::month, 1}})).yes);
  EXPECT_EQ(logged("More budgets are in use than can be counted"), 1U);
}

TEST_F(the_budget, that_is_restarted_begins_anew) {
  const auto scopes = scopes_of({{{}, budget_period::month, 1}});
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_FALSE(ask(scopes).yes);
  crash(it);
  it = spawn_it();
  EXPECT_TRUE(ask(scopes).yes);
}

}  // namespace
}  // namespace gate::guards
