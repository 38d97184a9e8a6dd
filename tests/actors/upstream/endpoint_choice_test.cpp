#include "actors/upstream/endpoint_choice.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

fetched ended(fetch_end how, int status = 0, bool retry_after = false) {
  fetched f;
  f.end = how;
  f.status = status;
  f.retry_after = retry_after;
  return f;
}

TEST(an_endpoint, is_as_good_as_not_reached_if_it_does_not_work) {
  using enum fetch_end;
  for (const auto how : {connect_failed, connect_timeout, broken})
    EXPECT_TRUE(endpoint_fails(ended(how)));
  EXPECT_TRUE(endpoint_fails(ended(complete, 500)));
  EXPECT_TRUE(endpoint_fails(ended(complete, 503)));
  for (const int status : {200, 401, 404}) EXPECT_FALSE(endpoint_fails(ended(complete, status)));
  for (const auto how : {overloaded, too_large, malformed, redirected})
    EXPECT_FALSE(endpoint_fails(ended(how)));
  EXPECT_TRUE(is_unreachable(connect_timeout));
  EXPECT_FALSE(is_unreachable(broken)) << "something was sent";
}

TEST(an_endpoint, is_busy_if_it_says_when_to_come_back) {
  EXPECT_TRUE(is_busy(ended(fetch_end::complete, 503, true)));
  EXPECT_FALSE(is_busy(ended(fetch_end::complete, 503)));
  EXPECT_FALSE(is_busy(ended(fetch_end::complete, 429, true)));
  EXPECT_FALSE(is_busy(ended(fetch_end::broken, 503, true)));
}

TEST(an_endpoint_choice, takes_the_answer_to_its_latest_question_only) {
  endpoint_choice it(3);
  EXPECT_FALSE(it.picked(0, 1)) << "it has not asked";
  const auto first = it.ask();
  const auto second = it.ask();
  EXPECT_TRUE(it.asks());
  EXPECT_FALSE(it.picked(first, 1));
  EXPECT_TRUE(it.picked(second, 2));
  EXPECT_EQ(it.current(), 2u);
  EXPECT_FALSE(it.asks());
  EXPECT_FALSE(it.picked(second, 1)) << "twice";
  EXPECT_TRUE(it.picked(it.ask(), 7));
  EXPECT_EQ(it.current(), 0u) << "there is no such endpoint";
}

TEST(an_endpoint_choice, takes_the_first_that_was_not_tried_if_nobody_picks) {
  endpoint_choice it(3);
  EXPECT_FALSE(it.pick_alone()) << "it has not asked";
  for (std::size_t n = 0; n < 3; ++n) {
    it.ask();
    EXPECT_TRUE(it.pick_alone());
    EXPECT_EQ(it.current(), n);
    it.fail();
  }
}

TEST(an_endpoint_choice, tries_each_once_and_no_more_than_the_bound) {
  for (std::size_t count = 1; count <= limits::connect_candidates + 2; ++count) {
    endpoint_choice it(count);
    std::size_t tries = 0;
    do {
      it.ask();
      EXPECT_TRUE(it.pick_alone());
      ++tries;
    } while (it.fail());
    EXPECT_EQ(tries, std::min(count, limits::connect_candidates));
    it.settle();
    EXPECT_TRUE(it.tried().empty());
    EXPECT_EQ(it.several(), count > 1);
  }
}

}  // namespace
}  // namespace gate::upstream
