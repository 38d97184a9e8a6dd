#include "actors/guards/sliding_window.hpp"

#include <gtest/gtest.h>

namespace gate::guards {
namespace {

using namespace std::chrono_literals;

struct a_sliding_window : ::testing::Test {
  int admitted(int tries) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += it.admit(t);
    return out;
  }
  sliding_window it{10};
  sliding_window::time_point t{1h};
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
  EXPECT_EQ(admitted(10), 10);
  t += 120s;
  EXPECT_EQ(admitted(20), 10);
  t += 24h;
  EXPECT_EQ(admitted(20), 10);
}

TEST_F(a_sliding_window, says_when_to_come_back_and_means_it) {
  for (int already : {10, 7, 3}) {
    it = sliding_window(10);
    t += 1h;
    admitted(already);
    t += 63s;
    admitted(100);
    for (auto later : {0s, 1s, 20s, 50s}) {
      auto again = it;
      auto now = t + later;
      if (again.admit(now)) continue;
      now += again.retry_after(now);
      EXPECT_TRUE(again.admit(now)) << already << ' ' << later.count();
    }
  }
}

TEST_F(a_sliding_window, never_says_at_once) {
  admitted(11);
  EXPECT_GE(it.retry_after(t + 119s), 1s);
  EXPECT_EQ(it.retry_after(t), 66s) << "a tenth of the next minute";
}

TEST(a_sliding_window_without_limit, lets_everything_in) {
  sliding_window it(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(it.admit(sliding_window::time_point{}));
}

}  // namespace
}  // namespace gate::guards
