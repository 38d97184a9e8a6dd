#include "actors/identity/key_schedule.hpp"

#include <gtest/gtest.h>

namespace gate::identity {
namespace {

using namespace std::chrono_literals;

struct a_key_schedule : ::testing::Test {
  void fetch(bool good) {
    it.begins(t);
    good ? it.succeeded(t) : it.failed();
  }
  key_schedule it;
  key_schedule::time_point t{1h};
};

TEST_F(a_key_schedule, fetches_at_once_and_one_at_a_time) {
  EXPECT_TRUE(it.wanted(t));
  EXPECT_TRUE(it.due(t));
  it.begins(t);
  EXPECT_FALSE(it.wanted(t + 1h));
  EXPECT_FALSE(it.due(t + 1h));
}

TEST_F(a_key_schedule, refreshes_every_five_minutes) {
  fetch(true);
  EXPECT_FALSE(it.due(t + 299s));
  EXPECT_TRUE(it.due(t + 300s));
}

TEST_F(a_key_schedule, is_not_made_to_fetch_by_unknown_keys_more_than_every_30_seconds) {
  fetch(true);
  EXPECT_FALSE(it.wanted(t + 29s));
  EXPECT_TRUE(it.wanted(t + 30s));
  t += 30s;
  fetch(true);
  EXPECT_FALSE(it.wanted(t + 29s));
}

TEST_F(a_key_schedule, without_any_set_tries_every_five_seconds) {
  fetch(false);
  EXPECT_FALSE(it.wanted(t + 4s));
  EXPECT_TRUE(it.wanted(t + 5s));
  EXPECT_TRUE(it.due(t + 5s));
}

TEST_F(a_key_schedule, in_an_outage_looks_every_30_seconds) {
  fetch(true);
  t += 300s;
  fetch(false);
  EXPECT_TRUE(it.failing());
  EXPECT_FALSE(it.due(t + 29s));
  EXPECT_TRUE(it.due(t + 30s));
  t += 30s;
  fetch(true);
  EXPECT_FALSE(it.failing());
  EXPECT_FALSE(it.due(t + 299s));
}

TEST_F(a_key_schedule, trusts_the_last_good_set_for_a_day) {
  fetch(true);
  const auto good = t;
  for (t += 300s; t < good + 24h; t += 30s) {
    ASSERT_FALSE(it.expires(t));
    fetch(false);
  }
  EXPECT_LE(it.next(), good + 24h) << "somebody must look then";
  EXPECT_TRUE(it.expires(good + 24h));
  EXPECT_FALSE(it.expires(good + 25h)) << "once";
}

}  // namespace
}  // namespace gate::identity
