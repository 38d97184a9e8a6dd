#include "actors/guards/sliding_window.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace gate::guards {
namespace {

using namespace std::chrono_literals;
using time_point = sliding_window::time_point;

bool admit(sliding_window& w, std::int64_t limit, time_point t) {
  if (!w.has_room(limit, t)) return false;
  w.take(t);
  return true;
}

struct a_sliding_window : ::testing::Test {
  int admitted(int tries) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += admit(it, 10, t);
    return out;
  }
  sliding_window it;
  time_point t{1h};
};

TEST_F(a_sliding_window, lets_in_its_limit_and_no_more) {
  EXPECT_EQ(admitted(25), 10);
  t += 59s;
  EXPECT_EQ(admitted(5), 0);
}

TEST_F(a_sliding_window, counts_what_is_left_of_the_minute_before) {
  EXPECT_EQ(admitted(10), 10);
  t += 60s;  // all of it
  EXPECT_EQ(admitted(5), 0);
  t += 30s;  // half of it: 5 are taken
  EXPECT_EQ(admitted(10), 5);
  t += 30s;  // 5 of the minute that has just ended
  EXPECT_EQ(admitted(10), 5);
}

TEST_F(a_sliding_window, does_not_count_what_it_refused) {
  EXPECT_EQ(admitted(1000), 10);
  t += 90s;
  EXPECT_EQ(admitted(10), 5);
}

TEST_F(a_sliding_window, forgets_after_two_minutes) {
  EXPECT_TRUE(it.idle(t)) << "as long as nothing has come";
  EXPECT_EQ(admitted(10), 10);
  t += 119s;
  EXPECT_FALSE(it.idle(t));
  t += 1s;
  EXPECT_TRUE(it.idle(t));
  EXPECT_EQ(admitted(20), 10);
  t += 24h;
  EXPECT_EQ(admitted(20), 10);
}

TEST_F(a_sliding_window, says_when_to_come_back_and_means_it) {
  for (int already : {10, 7, 3}) {
    it = {};
    t += 1h;
    admitted(already);
    t += 63s;
    admitted(100);
    for (auto later : {0s, 1s, 20s, 50s}) {
      auto again = it;
      auto now = t + later;
      if (admit(again, 10, now)) continue;
      now += again.retry_after(10, now);
      EXPECT_TRUE(admit(again, 10, now)) << already << ' ' << later.count();
    }
  }
}

TEST_F(a_sliding_window, never_says_at_once) {
  admitted(11);
  EXPECT_GE(it.retry_after(10, t + 119s), 1s);
  EXPECT_EQ(it.retry_after(10, t), 66s) << "a tenth of the next minute";
}

TEST_F(a_sliding_window, goes_on_when_the_limit_changes) {
  EXPECT_EQ(admitted(10), 10);
  EXPECT_FALSE(it.has_room(10, t));
  EXPECT_TRUE(it.has_room(11, t)) << "raised";
  EXPECT_FALSE(it.has_room(3, t)) << "lowered";
  EXPECT_EQ(it.retry_after(3, t), 108s) << "ten fade to two";
  EXPECT_EQ(it.retry_after(1, t), 120s) << "ten fade to none";
}

TEST_F(a_sliding_window, is_strict_with_a_clock_that_goes_back) {
  t += 30s;
  EXPECT_EQ(admitted(10), 10);
  t -= 1h;
  EXPECT_EQ(admitted(10), 0);
  EXPECT_EQ(it.retry_after(10, t), 66s);
}

TEST_F(a_sliding_window, has_no_trouble_with_great_numbers) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(admit(it, most, t));
  t += 1min;
  EXPECT_TRUE(it.has_room(most, t));
  EXPECT_FALSE(it.has_room(1, t));
}

TEST(a_sliding_window_without_limit, lets_everything_in) {
  sliding_window it;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(admit(it, 0, {}));
}

/// The rule itself: every request that came in is kept, and counted by the minute.
struct counted_model {
  std::map<std::int64_t, std::int64_t> came_in;
  static constexpr std::int64_t minute = 60'000'000;

  std::int64_t count(std::int64_t minute_number) const {
    const auto it = came_in.find(minute_number);
    return it == came_in.end() ? 0 : it->second;
  }
  bool has_room(std::int64_t limit, std::int64_t us) const {
    const auto m = us / minute;
    return count(m - 1) * (minute - us % minute) + (count(m) + 1) * minute <= limit * minute;
  }
  void take(std::int64_t us) { ++came_in[us / minute]; }
};

TEST_F(a_sliding_window, does_what_the_rule_says_whatever_comes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 dice(seed);
    const auto draw = [&dice](std::int64_t from, std::int64_t to) {
      return std::uniform_int_distribution<std::int64_t>(from, to)(dice);
    };
    sliding_window it;
    counted_model rule;
    std::int64_t limit = draw(1, 40);
    auto us = draw(0, 1'000'000'000'000);
    for (int i = 0; i < 1000; ++i) {
      const auto kind = draw(0, 19);
      if (kind == 0) us += draw(0, 200'000'000);
      if (kind == 1) us = (us / counted_model::minute + 1) * counted_model::minute - draw(0, 1);
      if (kind == 2) limit = draw(1, 40);
      if (kind > 4) us += draw(0, 3'000'000);
      const time_point now{std::chrono::microseconds{us}};
      const bool room = it.has_room(limit, now);
      ASSERT_EQ(room, rule.has_room(limit, us)) << "seed " << seed << ", step " << i;
      EXPECT_EQ(it.idle(now), rule.count(us / counted_model::minute) == 0 &&
                                  rule.count(us / counted_model::minute - 1) == 0);
      if (room) {
        it.take(now);
        rule.take(us);
        continue;
      }
      // The first whole second that has room, found by trying all of them.
      std::int64_t wait = 1;
      while (!rule.has_room(limit, us + wait * 1'000'000)) ++wait;
      ASSERT_EQ(it.retry_after(limit, now).count(), wait) << "seed " << seed << ", step " << i;
    }
  }
}

/// What is shown agrees with what is decided: no room is left exactly when all is used.
TEST_F(a_sliding_window, shows_what_is_used_as_it_decides) {
  EXPECT_EQ(it.used(t), 0);
  EXPECT_EQ(it.clears_in(t), 0ms);
  std::mt19937 dice(11);
  for (int i = 0; i < 5000; ++i) {
    t += std::chrono::milliseconds(std::uniform_int_distribution<>(0, 20'000)(dice));
    for (int n = std::uniform_int_distribution<>(0, 6)(dice); n > 0; --n) admit(it, 10, t);
    EXPECT_GE(it.used(t), 0);
    EXPECT_LE(it.used(t), 10);
    EXPECT_EQ(it.has_room(10, t), it.used(t) < 10) << i;
    if (it.used(t) == 0) continue;
    const auto clear = it.clears_in(t);
    EXPECT_GT(clear, 0ms);
    EXPECT_LE(clear, 120s);
    EXPECT_TRUE(it.idle(t + clear));
    EXPECT_FALSE(it.idle(t + clear - 1ms));
  }
}

}  // namespace
}  // namespace gate::guards
