#include "transport/http/pace.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

using namespace std::chrono_literals;

constexpr answer_rates rates{
    .events_per_second = 100, .events_at_once = 50, .bytes_per_second = 1000};
const pace::time_point start{1000s};

answer_work events(std::size_t n) {
  return {n, 0, 0};
}
answer_work bytes(std::size_t n) {
  return {0, 0, n};
}

TEST(pace, a_burst_then_a_rate) {
  pace p(rates, 10'000, start);
  p.spend(events(50), start);
  EXPECT_TRUE(p.may_go_on());
  p.spend(events(1), start);
  EXPECT_FALSE(p.may_go_on());
  p.spend({}, start + 10ms);
  EXPECT_TRUE(p.may_go_on()) << "one more after a hundredth of a second";
  p.spend(events(1), start + 10ms);
  EXPECT_FALSE(p.may_go_on());
}

TEST(pace, what_nobody_uses_is_not_saved_beyond_a_burst) {
  pace p(rates, 10'000, start);
  p.spend({}, start + 24h);
  p.spend(events(50), start + 24h);
  EXPECT_TRUE(p.may_go_on());
  p.spend(events(1), start + 24h);
  EXPECT_FALSE(p.may_go_on());
}

TEST(pace, a_debt_is_paid_before_it_goes_on) {
  pace p(rates, 10'000, start);
  p.spend(events(150), start);
  const auto at = p.go_on_at();
  EXPECT_EQ(at, start + 1010ms) << "100 too many, and one for the next step";
  p.spend({}, start + 999ms);
  EXPECT_FALSE(p.may_go_on());
  p.spend({}, at);
  EXPECT_TRUE(p.may_go_on());
}

TEST(pace, bytes_have_a_bucket_of_their_own) {
  pace p(rates, 10'000, start);
  p.spend(bytes(10'000), start);
  EXPECT_TRUE(p.may_go_on()) << "one event may be as large as an answer";
  p.spend(bytes(500), start);
  EXPECT_FALSE(p.may_go_on());
  EXPECT_EQ(p.go_on_at(), start + 510ms);
}

TEST(pace, lines_and_chunks_are_paid_for_by_what_they_carry) {
  pace p(rates, 1'000'000, start);
  p.spend({0, 10'000, 10'000 * limits::stream_piece_bytes}, start);
  EXPECT_TRUE(p.may_go_on());
  pace thin(rates, 1'000'000, start);
  thin.spend({0, 400, 0}, start);
  EXPECT_TRUE(thin.may_go_on());
  thin.spend({0, 8, 0}, start);
  EXPECT_FALSE(thin.may_go_on());
}

TEST(pace, a_clock_that_goes_back_changes_nothing) {
  pace p(rates, 10'000, start);
  p.spend(events(51), start - 10s);
  EXPECT_FALSE(p.may_go_on());
}

TEST(pace, next_to_nothing_is_asked_about_again) {
  pace p({.events_per_second = 1e-9, .events_at_once = 1}, 10, start);
  p.spend(events(100), start);
  EXPECT_EQ(p.go_on_at(), start + 60s);
  p.spend({}, start + 60s);
  EXPECT_FALSE(p.may_go_on());
}

}  // namespace
}  // namespace gate::http
