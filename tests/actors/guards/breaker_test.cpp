#include "actors/guards/breaker.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gate::guards {
namespace {

using namespace std::chrono_literals;
using enum breaker_state;
using enum verdict;

constexpr config::circuit_breaker three_failures{.failure_threshold = 3, .half_open_after = 30s};
constexpr auto not_leased = lease_told::not_leased;

struct a_breaker : ::testing::Test {
  void end(verdict how, std::uint64_t lease = 0) { it.ended(how, lease, t); }
  void fail(int times) {
    while (times-- > 0) end(failure);
  }
  std::uint64_t lease() { return it.lease(t); }
  void wait(std::chrono::milliseconds time) {
    t += time;
    it.pass(t);
  }
  /// Brings a new breaker there.
  void be(breaker_state s) {
    it = breaker(three_failures, 10s, 100);
    if (s == closed) return;
    fail(3);
    if (s == half_open) wait(30s);
    ASSERT_EQ(it.state(), s);
  }
  std::uint64_t be_leased() {
    be(half_open);
    return lease();
  }
  breaker it{three_failures, 10s, 100};
  breaker::time_point t{1000h};
};

// --- closed --------------------------------------------------------------------------------------

TEST_F(a_breaker, begins_closed_and_clean) {
  EXPECT_EQ(it.state(), closed);
  EXPECT_TRUE(it.clean());
  EXPECT_FALSE(it.next());
  wait(24h);
  EXPECT_EQ(it.state(), closed);
}

TEST_F(a_breaker, opens_after_so_many_failures_and_not_before) {
  fail(2);
  EXPECT_EQ(it.state(), closed);
  EXPECT_FALSE(it.clean());
  EXPECT_FALSE(it.next());
  fail(1);
  EXPECT_EQ(it.state(), open);
  EXPECT_FALSE(it.clean());
  EXPECT_EQ(it.failures(), 3);
  EXPECT_EQ(it.why(), breaker::cause::failures);
  EXPECT_EQ(it.next(), t + 30s);
}

TEST_F(a_breaker, counts_failures_in_a_row_only) {
  for (int i = 0; i < 10; ++i) {
    fail(2);
    end(success);
    EXPECT_EQ(it.state(), closed);
    EXPECT_TRUE(it.clean());
  }
}

TEST_F(a_breaker, takes_what_is_neutral_for_neither) {
  fail(2);
  for (int i = 0; i < 10; ++i) end(neutral);
  EXPECT_EQ(it.state(), closed);
  EXPECT_FALSE(it.clean());
  fail(1);
  EXPECT_EQ(it.state(), open);
}

TEST_F(a_breaker, that_is_closed_gives_no_lease_and_needs_none) {
  EXPECT_EQ(lease(), not_leased);
  fail(2);
  EXPECT_EQ(lease(), not_leased);
  end(failure, not_leased);
  EXPECT_EQ(it.state(), open) << "such a request counts as any other";
}

TEST_F(a_breaker, of_one_failure_opens_at_once) {
  for (const std::int64_t threshold : {1, 0}) {
    it = breaker({.failure_threshold = threshold, .half_open_after = 1s}, 10s, 1);
    fail(1);
    EXPECT_EQ(it.state(), open);
  }
}

// --- open ----------------------------------------------------------------------------------------

TEST_F(a_breaker, that_is_open_ignores_every_result_and_refuses_leases) {
  for (const auto how : {success, failure, neutral})
    for (const std::uint64_t with : {std::uint64_t{0}, std::uint64_t{100}, not_leased}) {
      be(open);
      end(how, with);
      EXPECT_EQ(it.state(), open);
      EXPECT_EQ(it.next(), t + 30s) << "no longer, no shorter";
      EXPECT_EQ(lease(), 0U);
    }
}

TEST_F(a_breaker, is_half_open_when_its_time_has_passed_and_not_before) {
  be(open);
  wait(30s - 1ms);
  EXPECT_EQ(it.state(), open);
  wait(1ms);
  EXPECT_EQ(it.state(), half_open);
  EXPECT_FALSE(it.clean());
  EXPECT_FALSE(it.next()) << "it stays so until somebody comes";
  wait(24h);
  EXPECT_EQ(it.state(), half_open);
}

TEST_F(a_breaker, looks_at_the_time_before_it_answers) {
  be(open);
  t += 30s;
  EXPECT_EQ(lease(), 100U);
  EXPECT_EQ(it.state(), half_open);
  t += 10s;
  end(success, 100);
  EXPECT_EQ(it.state(), open) << "the lease was over";
}

// --- half open -----------------------------------------------------------------------------------

TEST_F(a_breaker, that_is_half_open_lets_one_through_at_a_time) {
  be(half_open);
  EXPECT_EQ(lease(), 100U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(lease(), 0U);
  EXPECT_EQ(it.next(), t + 10s);
}

TEST_F(a_breaker, closes_when_the_probe_succeeds) {
  fail(2);
  end(success, be_leased());
  EXPECT_EQ(it.state(), closed);
  EXPECT_TRUE(it.clean());
  EXPECT_FALSE(it.next());
  fail(2);
  EXPECT_EQ(it.state(), closed) << "the failures from before are forgotten";
}

TEST_F(a_breaker, opens_again_when_the_probe_fails) {
  const auto first = be_leased();
  t += 4s;
  end(failure, first);
  EXPECT_EQ(it.state(), open);
  EXPECT_EQ(it.why(), breaker::cause::probe_failed);
  EXPECT_EQ(it.next(), t + 30s);
  wait(30s);
  const auto second = lease();
  EXPECT_NE(second, first);
  EXPECT_NE(second, 0U);
}

TEST_F(a_breaker, lets_the_next_one_ask_when_the_probe_tells_nothing) {
  const auto first = be_leased();
  end(neutral, first);
  EXPECT_EQ(it.state(), half_open);
  EXPECT_FALSE(it.next());
  const auto second = lease();
  EXPECT_NE(second, 0U);
  EXPECT_NE(second, first);
  end(success, second);
  EXPECT_EQ(it.state(), closed);
}

TEST_F(a_breaker, opens_again_when_the_probe_is_lost) {
  be_leased();
  wait(10s - 1ms);
  EXPECT_EQ(it.state(), half_open);
  wait(1ms);
  EXPECT_EQ(it.state(), open);
  EXPECT_EQ(it.why(), breaker::cause::probe_lost);
  EXPECT_EQ(it.next(), t + 30s);
}

TEST_F(a_breaker, lets_another_one_try_when_the_probe_may_last_longer) {
  be(half_open);
  const auto mine = it.lease(t, 600s);
  wait(10s - 1ms);
  EXPECT_EQ(it.lease(t, 600s), 0U);
  wait(1ms);
  EXPECT_EQ(it.state(), half_open) << "it is not lost";
  const auto other = it.lease(t);
  EXPECT_NE(other, 0U);
  end(failure, mine);
  EXPECT_EQ(it.state(), half_open) << "the lease is another's";
  end(success, other);
  EXPECT_EQ(it.state(), closed);
}

TEST_F(a_breaker, believes_a_probe_that_may_last_longer_if_it_ends_in_time) {
  be(half_open);
  end(success, it.lease(t, 600s));
  EXPECT_EQ(it.state(), closed);
  be(half_open);
  end(failure, it.lease(t, 600s));
  EXPECT_EQ(it.state(), open);
  be(half_open);
  EXPECT_NE(lease(), 0U) << "an ordinary one";
  wait(10s);
  EXPECT_EQ(it.state(), open) << "was lost";
}

TEST_F(a_breaker, that_is_half_open_ignores_who_has_not_the_lease) {
  for (const bool leased : {false, true})
    for (const auto how : {success, failure, neutral})
      for (const std::uint64_t with :
           {std::uint64_t{0}, std::uint64_t{99}, std::uint64_t{101}, not_leased}) {
        be(half_open);
        const auto mine = leased ? lease() : 0;
        end(how, with);
        EXPECT_EQ(it.state(), half_open);
        EXPECT_EQ(lease() == 0, leased) << "free or not, as before";
        if (!leased) continue;
        end(success, mine);
        EXPECT_EQ(it.state(), closed);
      }
}

TEST_F(a_breaker, ignores_a_lease_that_is_over_in_every_state) {
  for (const auto now : {closed, open, half_open})
    for (const bool leased : {false, true})
      for (const auto how : {success, failure, neutral}) {
        if (leased && now != half_open) continue;
        const auto old = be_leased();
        wait(10s);
        if (now != open) wait(30s);
        if (now == closed) {
          end(success, lease());
          fail(2);
        }
        const auto mine = leased ? lease() : 0;
        ASSERT_EQ(it.state(), now);
        end(how, old);
        EXPECT_EQ(it.state(), now);
        EXPECT_EQ(it.failures(), now == closed ? 2 : 3);
        if (!leased) continue;
        EXPECT_EQ(lease(), 0U) << "still the other's";
        end(success, mine);
        EXPECT_EQ(it.state(), closed);
      }
}

TEST_F(a_breaker, counts_leases_past_the_numbers_that_mean_something) {
  it = breaker(three_failures, 10s, not_leased - 1);
  fail(3);
  wait(30s);
  EXPECT_EQ(lease(), not_leased - 1);
  end(neutral, not_leased - 1);
  EXPECT_EQ(lease(), 1U);
}

// --- signs of life -------------------------------------------------------------------------------

TEST_F(a_breaker, that_is_open_is_half_open_as_soon_as_somebody_was_reached) {
  be(open);
  it.reached(t);
  EXPECT_EQ(it.state(), half_open);
  EXPECT_FALSE(it.next());
  const auto mine = lease();
  EXPECT_NE(mine, 0U);
  it.reached(t);
  EXPECT_EQ(lease(), 0U) << "the lease is not free because of it";
  end(failure, mine);
  EXPECT_EQ(it.state(), open);
  it.reached(t);
  end(success, lease());
  EXPECT_EQ(it.state(), closed);
}

TEST_F(a_breaker, that_is_not_open_takes_no_notice_of_signs_of_life) {
  fail(2);
  it.reached(t);
  EXPECT_EQ(it.failures(), 2);
  fail(1);
  EXPECT_EQ(it.state(), open);
}

// --- all of them ---------------------------------------------------------------------------------

/// The table of the header, read off line by line by somebody who did not see the code.
struct model {
  std::int64_t threshold, open_ms, lease_ms;
  std::string state = "closed";
  std::int64_t failures = 0, since = 0;
  bool leased = false;
  std::uint64_t latest = 0;

  void reopen(std::int64_t now) {
    state = "open";
    since = now;
    leased = false;
  }
  void time(std::int64_t now) {
    if (state == "open" && now - since >= open_ms)
      state = "half open";
    else if (state == "half open" && leased && now - since >= lease_ms)
      reopen(now);
  }
  /// What may be answered: 0, `not_leased`, or 1 for any new number.
  std::uint64_t want(std::int64_t now) {
    time(now);
    if (state == "closed") return not_leased;
    if (state == "open" || leased) return 0;
    leased = true;
    since = now;
    return 1;
  }
  void reached(std::int64_t now) {
    time(now);
    if (state == "open") state = "half open";
  }
  void end(verdict how, std::uint64_t with, std::int64_t now) {
    time(now);
    if (state == "closed" && (with == 0 || with == not_leased)) {
      if (how == success) failures = 0;
      if (how == failure && ++failures == threshold) reopen(now);
    } else if (state == "half open" && leased && with == latest) {
      leased = false;
      if (how == failure) reopen(now);
      if (how != success) return;
      state = "closed";
      failures = 0;
    }
  }
};

TEST(a_breaker_in_any_weather, is_as_its_table_says) {
  std::size_t opened = 0, leases = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 dice(seed);
    const auto draw = [&dice](std::int64_t most) {
      return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(most + 1));
    };
    const auto threshold = 1 + draw(4), open_ms = 1 + draw(50), lease_ms = 1 + draw(30);
    breaker it(
        {.failure_threshold = threshold, .half_open_after = std::chrono::milliseconds{open_ms}},
        std::chrono::milliseconds{lease_ms}, 1000);
    model expected{.threshold = threshold, .open_ms = open_ms, .lease_ms = lease_ms};
    std::vector<std::uint64_t> known{0, 0, not_leased};
    std::int64_t ms = 0;
    for (int i = 0; i < 1000; ++i) {
      ms += draw(3) == 0 ? draw(40) : 0;
      const breaker::time_point now{1h + std::chrono::milliseconds{ms}};
      switch (draw(4)) {
        case 4:
          if (draw(3) != 0) break;
          it.reached(now);
          expected.reached(ms);
          break;
        case 0: {
          const auto is = it.lease(now), wanted = expected.want(ms);
          if (wanted == 1) {
            ASSERT_EQ(std::count(known.begin(), known.end(), is), 0) << "given twice";
            expected.latest = is;
            known.push_back(is);
            ++leases;
          } else {
            ASSERT_EQ(is, wanted) << "seed " << seed << ", step " << i;
          }
          break;
        }
        case 1:
          it.pass(now);
          expected.time(ms);
          break;
        default: {
          const auto how = std::array{success, failure, failure, neutral}[dice() % 4];
          const auto with = draw(1) != 0 ? known.back() : known[dice() % known.size()];
          it.ended(how, with, now);
          expected.end(how, with, ms);
        }
      }
      const auto is = it.state() == closed ? "closed" : it.state() == open ? "open" : "half open";
      ASSERT_EQ(is, expected.state) << "seed " << seed << ", step " << i;
      ASSERT_EQ(it.clean(), expected.state == "closed" && expected.failures == 0);
      ASSERT_EQ(it.next().has_value(), expected.state == "open" || expected.leased);
      opened += it.state() == open;
    }
  }
  EXPECT_GT(opened, 10'000U);
  EXPECT_GT(leases, 5'000U);
}

}  // namespace
}  // namespace gate::guards
