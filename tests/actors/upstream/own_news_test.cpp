#include "actors/upstream/own_news.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

constexpr own_news::time_point t{1h};
constexpr auto later = 2 * limits::list_changed_most;

TEST(own_news, are_those_that_the_root_session_did_not_hear) {
  const news_times root;
  own_news n;
  EXPECT_FALSE(n.any(t, root));
  n.announced(t, root);
  EXPECT_TRUE(n.any(t, root)) << "nobody knows yet";
  EXPECT_TRUE(n.any(t + later, root)) << "no root session has heard anything";
}

TEST(own_news, what_both_hear_is_everybodys_whoever_hears_it_first) {
  news_times root;
  own_news first, second;
  first.announced(t, root);
  EXPECT_TRUE(first.any(t + 5ms, root)) << "the root session may still hear of it";
  root.announced(t + 10ms);
  second.announced(t + 20ms, root);
  EXPECT_FALSE(first.any(t + later, root));
  EXPECT_FALSE(second.any(t + later, root));
}

TEST(own_news, one_notification_for_two_lists_and_bursts_are_one) {
  news_times root;
  own_news n;
  n.announced(t, root);
  n.announced(t, root);
  n.announced(t + 10ms, root);
  root.announced(t + 15ms);
  EXPECT_FALSE(n.any(t + later, root));
}

TEST(own_news, what_everybody_hears_long_afterwards_explains_nothing) {
  news_times root;
  own_news n;
  n.announced(t, root);
  root.announced(t + 1h);
  n.announced(t + 1h, root);
  EXPECT_TRUE(n.any(t + 1h + later, root));
}

TEST(own_news, what_everybody_heard_counts_although_more_came_before_somebody_looked) {
  news_times root;
  own_news n;
  n.announced(t, root);
  root.announced(t + 10ms);
  root.announced(t + 1h);
  EXPECT_FALSE(n.any(t + 2h, root));
}

TEST(own_news, what_is_told_to_each_new_session_is_not_kept_for_it) {
  const news_times root;
  own_news n;
  n.opened(t);
  n.announced(t + 100ms, root);
  EXPECT_FALSE(n.any(t + later, root));
  n.announced(t + 1h, root);
  EXPECT_TRUE(n.any(t + 2h, root));
  n.opened(t + 3h);
  EXPECT_FALSE(n.any(t + 4h, root)) << "it ended with the session";
}

TEST(own_news, times_of_the_root_session_are_bounded) {
  news_times root;
  for (std::size_t i = 0; i < 2 * limits::news_times; ++i) root.announced(t + 1h * i);
  EXPECT_TRUE(root.around(t)) << "too old to be known";
  EXPECT_FALSE(root.around(t + 1h * limits::news_times + 30min));
}

}  // namespace
}  // namespace gate::upstream
