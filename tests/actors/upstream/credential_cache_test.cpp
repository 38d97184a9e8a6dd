#include "actors/upstream/credential_cache.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
using cache = credential_cache<int>;
using found = cache::found;

struct a_credential_cache : ::testing::Test {
  found want(std::uint64_t identity, int who) { return it.want(identity, who, t, line, until); }
  std::vector<int> answer(std::uint64_t identity, std::string text,
                          std::chrono::seconds life = 60s) {
    return it.answered(identity, std::move(text), t + life);
  }
  cache it{3};
  cache::time_point t{1h};
  std::string line;
  cache::time_point until;
};

TEST_F(a_credential_cache, asks_once_for_all_who_wait) {
  EXPECT_EQ(want(1, 10), found::ask);
  EXPECT_EQ(want(1, 11), found::wait);
  EXPECT_EQ(want(2, 20), found::ask) << "another identity, another question";
  EXPECT_EQ(answer(1, "one"), (std::vector{10, 11}));
  EXPECT_EQ(want(1, 12), found::good);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(until, t + 60s);
  EXPECT_EQ(want(2, 21), found::wait);
}

TEST_F(a_credential_cache, asks_again_when_it_has_ended) {
  want(1, 10);
  answer(1, "one");
  t += 59s;
  EXPECT_EQ(want(1, 11), found::good);
  t += 1s;
  EXPECT_EQ(want(1, 11), found::ask);
}

TEST_F(a_credential_cache, remembers_a_failure_for_a_moment) {
  want(1, 10);
  EXPECT_EQ(answer(1, "", 1s), std::vector{10});
  EXPECT_EQ(want(1, 11), found::failed);
  t += 1s;
  EXPECT_EQ(want(1, 12), found::ask);
}

TEST_F(a_credential_cache, drops_what_the_upstream_refused_but_not_its_successor) {
  want(1, 10);
  answer(1, "old");
  it.refused(1, "old", t);
  EXPECT_EQ(want(1, 11), found::ask);
  it.refused(1, "old", t);
  EXPECT_EQ(want(1, 12), found::wait);
  answer(1, "new");
  it.refused(1, "old", t);
  EXPECT_EQ(want(1, 13), found::good);
}

TEST_F(a_credential_cache, does_not_ask_without_end_for_what_is_always_refused) {
  want(1, 10);
  answer(1, "old");
  it.refused(1, "old", t);
  EXPECT_EQ(want(1, 11), found::ask);
  answer(1, "new");
  it.refused(1, "new", t);
  EXPECT_EQ(want(1, 11), found::failed);
  t += 4s;
  EXPECT_EQ(want(1, 11), found::failed);
  t += 1s;
  EXPECT_EQ(want(1, 11), found::ask);
}

TEST_F(a_credential_cache, is_bounded_and_keeps_what_is_used_and_what_is_asked) {
  for (int i = 1; i <= 3; ++i) {
    want(i, i);
    answer(i, "x");
  }
  want(1, 1);
  EXPECT_EQ(want(4, 4), found::ask);
  EXPECT_EQ(it.size(), 3U);
  EXPECT_EQ(want(1, 1), found::good);
  EXPECT_EQ(want(2, 2), found::ask) << "it was the least recently used";
  EXPECT_EQ(want(5, 5), found::ask);
  EXPECT_EQ(answer(4, "x"), std::vector{4});
}

TEST_F(a_credential_cache, tells_an_answer_that_nobody_waits_for_to_nobody) {
  EXPECT_TRUE(answer(7, "x").empty());
  EXPECT_EQ(want(7, 1), found::ask);
}

}  // namespace
}  // namespace gate::upstream
