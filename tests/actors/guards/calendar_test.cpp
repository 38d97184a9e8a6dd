#include "actors/guards/calendar.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/actors/guards/dates.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono;
using config::budget_period;
using instant = system_clock::time_point;

constexpr std::array all_kinds{budget_period::hour, budget_period::day, budget_period::month};
constexpr system_clock::duration tick{1};

TEST(an_hour, has_sharp_edges) {
  const auto ten = at(2026, 11, 21, 10h);
  const calendar_period the_hour{ten, ten + 1h};
  EXPECT_EQ(period_of(budget_period::hour, ten), the_hour);
  EXPECT_EQ(period_of(budget_period::hour, ten + 1h - tick), the_hour);
  EXPECT_EQ(period_of(budget_period::hour, ten + 1h), (calendar_period{ten + 1h, ten + 2h}));
  EXPECT_EQ(period_of(budget_period::hour, ten - tick), (calendar_period{ten - 1h, ten}));
  EXPECT_EQ(period_of(budget_period::hour, at(2026, 12, 31, 23h + 1s)),
            (calendar_period{at(2026, 12, 31, 23h), at(2027, 1, 1)}));
}

TEST(a_day, has_sharp_edges) {
  EXPECT_EQ(period_of(budget_period::day, at(2026, 11, 21)),
            (calendar_period{at(2026, 11, 21), at(2026, 11, 22)}));
  EXPECT_EQ(period_of(budget_period::day, at(2026, 11, 22) - tick),
            (calendar_period{at(2026, 11, 21), at(2026, 11, 22)}));
  EXPECT_EQ(period_of(budget_period::day, at(2026, 12, 31, 12h)),
            (calendar_period{at(2026, 12, 31), at(2027, 1, 1)}));
  EXPECT_EQ(period_of(budget_period::day, at(2028, 2, 28, 23h)).end, at(2028, 2, 29));
  EXPECT_EQ(period_of(budget_period::day, at(2028, 2, 29, 23h)).end, at(2028, 3, 1));
  EXPECT_EQ(period_of(budget_period::day, at(2100, 2, 28, 23h)).end, at(2100, 3, 1));
}

TEST(a_month, ends_where_its_year_says) {
  struct row {
    int year;
    unsigned month;
    int days;
  };
  for (const auto& [y, m, length] : {row{2026, 1, 31},
                                     {2026, 2, 28},
                                     {2026, 3, 31},
                                     {2026, 4, 30},
                                     {2026, 5, 31},
                                     row{2026, 6, 30},
                                     {2026, 7, 31},
                                     {2026, 8, 31},
                                     {2026, 9, 30},
                                     {2026, 10, 31},
                                     row{2026, 11, 30},
                                     {2026, 12, 31},
                                     {2028, 2, 29},
                                     {2000, 2, 29},
                                     {2100, 2, 28}}) {
    const auto begin = at(y, m, 1);
    const calendar_period whole{begin, begin + days{length}};
    EXPECT_EQ(period_of(budget_period::month, begin), whole) << y << ' ' << m;
    EXPECT_EQ(period_of(budget_period::month, whole.end - tick), whole) << y << ' ' << m;
    EXPECT_EQ(period_of(budget_period::month, whole.end).begin, whole.end) << y << ' ' << m;
    EXPECT_EQ(period_of(budget_period::month, begin - tick).end, begin) << y << ' ' << m;
  }
  EXPECT_EQ(period_of(budget_period::month, at(2026, 12, 31, 24h - tick)),
            (calendar_period{at(2026, 12, 1), at(2027, 1, 1)}));
  EXPECT_EQ(period_of(budget_period::month, at(1969, 12, 31, 1h)),
            (calendar_period{at(1969, 12, 1), at(1970, 1, 1)}));
}

TEST(periods, contain_their_instant_and_follow_one_another_without_a_gap) {
  std::mt19937_64 dice(1);
  std::uniform_int_distribution<std::int64_t> seconds_since(-1'000'000'000, 7'000'000'000);
  for (int i = 0; i < 20'000; ++i) {
    const instant t{seconds{seconds_since(dice)}};
    for (const auto kind : all_kinds) {
      const auto p = period_of(kind, t);
      EXPECT_LE(p.begin, t);
      EXPECT_LT(t, p.end);
      EXPECT_EQ(period_of(kind, p.begin), p);
      EXPECT_EQ(period_of(kind, p.end - tick), p);
      EXPECT_EQ(period_of(kind, p.end).begin, p.end);
      EXPECT_EQ(period_of(kind, p.begin - tick).end, p.begin);
    }
  }
}

TEST(an_instant, is_written_in_whole_seconds) {
  EXPECT_EQ(rfc3339(at(2026, 12, 1)), "2026-12-01T00:00:00Z");
  EXPECT_EQ(rfc3339(at(2028, 2, 29, 23h + 59min + 59s + 999ms)), "2028-02-29T23:59:59Z");
  EXPECT_EQ(rfc3339(at(2027, 1, 1, 1h)), "2027-01-01T01:00:00Z");
}

}  // namespace
}  // namespace gate::guards
