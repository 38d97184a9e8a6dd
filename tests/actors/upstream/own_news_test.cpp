#include "actors/upstream/own_news.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

constexpr own_news::time_point t{1h};

TEST(own_news, are_those_that_the_root_session_did_not_hear) {
  own_news n;
  EXPECT_FALSE(n.any({}));
  n.heard(t, {});
  EXPECT_TRUE(n.any({})) << "no root session has heard anything";
}

TEST(own_news, what_both_hear_is_everybodys_whoever_hears_it_first) {
  own_news first, second;
  first.heard(t, {});
  second.heard(t + 10ms, t);
  EXPECT_FALSE(first.any(t + 10ms));
  EXPECT_FALSE(second.any(t));
}

TEST(own_news, are_not_forgotten_for_what_everybody_hears_later) {
  own_news n;
  n.heard(t, {});
  n.heard(t + 1h, {});
  EXPECT_TRUE(n.any(t + 1h));
}

}  // namespace
}  // namespace gate::upstream
