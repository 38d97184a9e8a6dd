#include "actors/sessions/subscriptions.hpp"

#include <gtest/gtest.h>

namespace gate::sessions {
namespace {

TEST(subscribed, cover_what_they_name_and_its_parts) {
  for (auto uri :
       {"x://1", "x://1/", "x://1/a", "x://1/a/b", "x://1?q", "x://1#f", "x://1/a?b#c"}) {
    EXPECT_TRUE(lies_in(uri, "x://1")) << uri;
    EXPECT_TRUE(covers({{"x://1", "a"}}, uri, "a")) << uri;
    EXPECT_FALSE(covers({{"x://1", "a"}}, uri, "b")) << uri;
  }
  for (auto uri : {"x://1/a", "x://1/", "x://1//"}) EXPECT_TRUE(lies_in(uri, "x://1/")) << uri;
}

TEST(subscribed, cover_nothing_else) {
  for (auto uri : {"", "x", "x://", "x://10", "x://1a", "x://1.", "X://1", "y://1/a", "x://1/../2",
                   "x://1/./a", "x://1/%2e%2e/2", "x://1/%2Fa", "x://1/a\\b"}) {
    EXPECT_FALSE(lies_in(uri, "x://1")) << uri;
    EXPECT_FALSE(covers({{"x://1", "a"}}, uri, "a")) << uri;
  }
  EXPECT_FALSE(lies_in("x://1", "x://1/"));
  EXPECT_FALSE(lies_in("x", ""));
  EXPECT_FALSE(covers({}, "x://1", "a"));
}

TEST(subscribed, say_the_same_in_both_ways) {
  const std::string alphabet = "a/?#.";
  std::vector<std::string> all{""};
  for (std::size_t i = 0; all[i].size() < 4; ++i)
    for (char c : alphabet) all.push_back(all[i] + c);
  for (const auto& subscribed : all) {
    if (subscribed.empty() || subscribed.size() > 2) continue;
    for (const auto& uri : all)
      EXPECT_EQ(covers({{subscribed, "a"}}, uri, "a"), lies_in(uri, subscribed))
          << uri << " in " << subscribed;
  }
}

}  // namespace
}  // namespace gate::sessions
