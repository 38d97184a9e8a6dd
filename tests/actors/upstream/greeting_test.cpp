#include "actors/upstream/greeting.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

constexpr greeting::time_point opening{std::chrono::hours(1000)};

TEST(greeting, without_roots_lasts_until_the_stream_is_settled) {
  greeting g(opening, false);
  EXPECT_FALSE(g.over(opening + limits::greeting_most - 1ms));
  g.stream_settled(opening + 7ms);
  EXPECT_EQ(g.look_at(), opening + 7ms);
  EXPECT_TRUE(g.over(opening + 7ms));
}

TEST(greeting, with_roots_gives_the_server_a_moment_to_ask) {
  greeting g(opening, true);
  g.stream_settled(opening);
  EXPECT_FALSE(g.over(opening));
  g.stream_settled(opening + 10ms);
  EXPECT_TRUE(g.over(opening + limits::greeting_quiet)) << "counted once";
}

TEST(greeting, waits_until_the_answer_has_been_delivered) {
  greeting g(opening, true);
  g.stream_settled(opening);
  g.asked("1");
  g.asked("\"x\"");
  const auto later = opening + limits::greeting_quiet;
  EXPECT_FALSE(g.over(later));
  g.answered("1", 7);
  g.answered("unknown", 9);
  EXPECT_FALSE(g.over(later));
  g.answered("\"x\"", 8);
  g.delivered(7);
  EXPECT_FALSE(g.over(later));
  g.delivered(8);
  EXPECT_TRUE(g.over(later));
}

TEST(greeting, is_bounded) {
  greeting g(opening, true);
  g.asked("1");
  EXPECT_TRUE(g.over(opening + limits::greeting_most));
}

}  // namespace
}  // namespace gate::upstream
