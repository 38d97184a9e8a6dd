#include "protocol/webhook/schedule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

using namespace std::chrono;

constexpr std::uint32_t least_chance = 0, middle_chance = 1U << 31, most_chance = ~0U;
const wall_time noon{hours{24 * 365 * 50}};

std::string schedule_refusal(std::string_view text) {
  const auto read = schedule::read(text);
  return read ? "" : read.error().what;
}

TEST(a_schedule, usually_takes_seven_attempts) {
  const schedule usual;
  EXPECT_EQ(usual.attempts(), 7U);
  EXPECT_EQ(usual.pauses(), schedule::read("0,5,300,1800,7200,18000,36000")->pauses());
}

TEST(a_schedule, is_read) {
  EXPECT_EQ(schedule::read("0")->pauses(), std::vector{seconds{0}});
  EXPECT_EQ(schedule::read("3,2,1")->pauses(), (std::vector{seconds{3}, seconds{2}, seconds{1}}));
  EXPECT_EQ(schedule::read("604800")->pauses(), std::vector{seconds{604'800}});
  std::string longest = "0";
  for (std::size_t i = 1; i < limits::webhook_attempts_most; ++i) longest += ",1";
  EXPECT_EQ(schedule::read(longest)->attempts(), limits::webhook_attempts_most);
  EXPECT_EQ(schedule_refusal(longest + ",1"), "a schedule has at most 30 attempts");
}

TEST(a_schedule, of_anything_else_is_refused) {
  for (const auto* bad : {"", ",", "0,", ",0", "0,,5", " 0", "0, 5", "-1", "+1", "1.5", "5s", "x",
                          "604801", "99999999999999999999", "0;5"})
    EXPECT_EQ(schedule_refusal(bad),
              "a schedule is whole seconds before each attempt, with commas between: from 0 to "
              "604800")
        << bad;
}

TEST(a_schedule, ends) {
  const schedule usual;
  for (std::size_t made = 0; made < 7; ++made)
    EXPECT_TRUE(usual.pause_after(made, middle_chance)) << made;
  EXPECT_FALSE(usual.pause_after(7, middle_chance));
  EXPECT_FALSE(usual.pause_after(8, middle_chance, seconds{5}))
      << "Retry-After is no further attempt";
}

TEST(a_pause, is_a_fifth_shorter_or_longer) {
  const schedule usual;
  for (std::size_t made = 1; made < usual.attempts(); ++made) {
    const milliseconds whole = usual.pauses()[made];
    EXPECT_EQ(usual.pause_after(made, least_chance), whole * 4 / 5);
    EXPECT_EQ(usual.pause_after(made, middle_chance), whole);
    EXPECT_LE(*usual.pause_after(made, most_chance), whole * 6 / 5);
    EXPECT_GE(*usual.pause_after(made, most_chance),
              whole * 6 / 5 - whole / 100'000 - milliseconds{1});
    milliseconds last{0};
    for (std::uint64_t chance = 0; chance <= most_chance; chance += 1U << 24U) {
      const auto pause = *usual.pause_after(made, static_cast<std::uint32_t>(chance));
      EXPECT_GT(pause, last);
      last = pause;
    }
  }
}

TEST(a_pause, before_the_first_attempt_is_what_it_is) {
  const auto later = *schedule::read("10,5");
  for (const auto chance : {least_chance, middle_chance, most_chance}) {
    EXPECT_EQ(schedule().pause_after(0, chance), milliseconds{0});
    EXPECT_EQ(later.pause_after(0, chance), seconds{10});
  }
}

TEST(a_pause, of_a_week_does_not_overflow) {
  const auto weeks = *schedule::read("0,604800");
  EXPECT_EQ(weeks.pause_after(1, least_chance), seconds{604'800} * 4 / 5);
  EXPECT_GT(*weeks.pause_after(1, most_chance), seconds{604'800});
}

TEST(a_pause, is_made_longer_by_retry_after) {
  const schedule usual;
  EXPECT_EQ(usual.pause_after(1, middle_chance, seconds{60}), seconds{60});
  EXPECT_EQ(usual.pause_after(1, middle_chance, seconds{1}), seconds{5}) << "never shorter";
  EXPECT_EQ(usual.pause_after(6, middle_chance, seconds{60}), seconds{36'000});
  EXPECT_EQ(usual.pause_after(1, middle_chance, hours{24 * 366}), limits::webhook_retry_after_most);
  EXPECT_EQ(usual.pause_after(1, middle_chance, seconds{-5}), seconds{5});
}

outcome failed(std::optional<seconds> retry_after = {}) {
  return {ending::throttled, 503, "busy", retry_after};
}

TEST(an_attempt, that_succeeds_ends_it) {
  for (const std::size_t made : {1U, 7U}) {
    const auto next = after_attempt({}, made, noon, {}, middle_chance, noon - hours{24 * 30});
    EXPECT_EQ(next.status, state::succeeded);
    EXPECT_FALSE(next.next_attempt);
    EXPECT_EQ(next.disable, disabled::no);
  }
}

TEST(an_attempt, at_what_is_gone_is_the_last) {
  const auto next = after_attempt(of_answer(410, "60", noon), 1, noon, {}, middle_chance, {});
  EXPECT_EQ(next.status, state::dead);
  EXPECT_FALSE(next.next_attempt);
  EXPECT_EQ(next.disable, disabled::gone);
}

/// Every way to fail, through the whole schedule.
TEST(an_attempt, that_fails_is_made_again_until_there_is_none_left) {
  const schedule usual;
  for (int e = 0; e < static_cast<int>(ending_names.size()); ++e) {
    outcome what;
    what.end = static_cast<ending>(e);
    if (what.succeeded() || what.end == ending::gone) continue;
    for (std::size_t made = 1; made <= usual.attempts(); ++made) {
      const auto next = after_attempt(what, made, noon, usual, middle_chance, {});
      const bool last = made == usual.attempts();
      EXPECT_EQ(next.status, last ? state::dead : state::failed) << name_of(what.end) << made;
      EXPECT_EQ(next.next_attempt.has_value(), !last);
      EXPECT_EQ(next.next_attempt.value_or(noon), last ? noon : noon + usual.pauses()[made]);
      EXPECT_EQ(next.disable, disabled::no);
    }
  }
}

TEST(an_attempt, heeds_retry_after) {
  EXPECT_EQ(after_attempt(failed(seconds{90}), 1, noon, {}, middle_chance, {}).next_attempt,
            noon + seconds{90});
}

TEST(a_webhook, that_fails_for_days_is_disabled) {
  const auto tick = milliseconds{1};
  const auto since = noon - limits::webhook_failing;
  EXPECT_EQ(after_attempt(failed(), 1, noon, {}, middle_chance, since).disable, disabled::failing);
  EXPECT_EQ(after_attempt(failed(), 7, noon, {}, middle_chance, since).disable, disabled::failing);
  EXPECT_EQ(after_attempt(failed(), 1, noon, {}, middle_chance, since + tick).disable,
            disabled::no);
  EXPECT_EQ(after_attempt(failed(), 1, noon, {}, middle_chance, {}).disable, disabled::no);
  EXPECT_EQ(after_attempt(failed(), 1, noon, {}, middle_chance, noon + hours{1}).disable,
            disabled::no)
      << "the clock was set back";
  EXPECT_EQ(after_attempt(of_answer(410, "", noon), 1, noon, {}, middle_chance, since).disable,
            disabled::gone);
}

}  // namespace
}  // namespace gate::webhook
