#include "simulations/replay/races.hpp"

#include <gtest/gtest.h>

#include "tests/simulations/support/growth.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

event shown(std::uint64_t number, std::uint64_t at, std::string assertion, std::uint64_t unit = 0) {
  event e;
  e.what = kind::request;
  e.unit = unit;
  e.number = number;
  e.at = at;
  e.body = "grant_type=x&assertion=" + assertion;
  e.token = R"({"secret":")" + assertion + R"("})";
  return e;
}

event answered(std::uint64_t number, std::uint64_t at, std::uint64_t status,
               std::uint64_t unit = 0) {
  event e;
  e.what = kind::answer;
  e.unit = unit;
  e.number = number;
  e.at = at;
  e.status = status;
  return e;
}

using races = std::map<std::size_t, std::vector<std::size_t>>;
races of(event_list events) {
  return lost_races(order({}, std::move(events), recording::ending::shutdown));
}

TEST(replay_races, who_came_first_and_lost_comes_behind_who_won) {
  EXPECT_EQ(
      of({shown(1, 1, "a"), shown(1, 2, "a", 1), answered(1, 3, 200, 1), answered(1, 4, 400)}),
      (races{{1, {0}}}));
  EXPECT_EQ(
      of({shown(1, 1, "a"), shown(1, 2, "a", 1), answered(1, 3, 400, 1), answered(1, 4, 200)}),
      races{})
      << "it came first, and won";
}

TEST(replay_races, those_that_do_not_overlap_or_show_other_things_do_not_race) {
  EXPECT_EQ(of({shown(1, 1, "a"), answered(1, 2, 400), shown(2, 3, "a"), answered(2, 4, 200)}),
            races{});
  EXPECT_EQ(of({shown(1, 1, "a"), shown(2, 2, "b"), answered(2, 3, 200), answered(1, 4, 400)}),
            races{});
  auto other = shown(1, 1, "a");
  other.body = "{}";
  EXPECT_EQ(of({other, shown(2, 2, "a"), answered(2, 3, 200), answered(1, 4, 400)}), races{});
}

TEST(replay_races, who_lost_comes_once_behind_the_first_that_won_it) {
  EXPECT_EQ(of({shown(1, 1, "a"), shown(2, 2, "a"), shown(1, 3, "a", 1), shown(2, 4, "a", 1),
                answered(1, 5, 200, 1), answered(2, 6, 200, 1), answered(1, 7, 400),
                answered(2, 8, 400)}),
            (races{{2, {0, 1}}}));
  // Lines of several units are not quite in their order: the first that won is so by its time.
  EXPECT_EQ(of({shown(1, 1, "a"), answered(1, 5, 400), shown(2, 6, "a"), shown(1, 4, "a", 1),
                answered(1, 7, 200, 1), answered(2, 8, 200)}),
            (races{{2, {0}}}));
}

TEST(replay_races, one_assertion_shown_many_times) {
  const auto often = [](std::size_t n) {
    event_list all;
    for (std::size_t i = 1; i <= n; ++i) all.push_back(shown(i, i, "a", i % 2));
    for (std::size_t i = 1; i <= n; ++i)
      all.push_back(answered(i, n + i, i % 2 == 1 ? 400 : 200, i % 2));
    return [t = order({}, std::move(all), recording::ending::shutdown), n] {
      EXPECT_EQ(lost_races(t).size(), n / 2);
    };
  };
  EXPECT_LT(sim::testing::growth(4000, often), sim::testing::most_growth);
}

}  // namespace
}  // namespace gate::replay
