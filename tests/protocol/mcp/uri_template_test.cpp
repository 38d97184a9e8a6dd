#include "protocol/mcp/uri_template.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::mcp {
namespace {

TEST(uri_template, without_expressions_is_a_plain_comparison) {
  EXPECT_TRUE(matches_template("file:///a", "file:///a"));
  EXPECT_FALSE(matches_template("file:///a", "file:///ab"));
  EXPECT_FALSE(matches_template("file:///ab", "file:///a"));
  EXPECT_TRUE(matches_template("", ""));
  EXPECT_FALSE(matches_template("", "x"));
}

TEST(uri_template, simple_expressions_stay_in_their_segment) {
  EXPECT_TRUE(matches_template("demo://r/{id}", "demo://r/7"));
  EXPECT_TRUE(matches_template("demo://r/{id}", "demo://r/"));
  EXPECT_TRUE(matches_template("demo://r/{id}/x", "demo://r/a%2Fb/x"));
  EXPECT_FALSE(matches_template("demo://r/{id}", "demo://r/7/8"));
  EXPECT_FALSE(matches_template("demo://r/{id}", "demo://r/7?x"));
  EXPECT_FALSE(matches_template("demo://r/{id}", "demo://s/7"));
  EXPECT_TRUE(matches_template("{a}-{b}", "x-y-z"));
  EXPECT_TRUE(matches_template("test://template/{id}/data", "test://template/123/data"));
}

TEST(uri_template, reserved_expressions_take_anything) {
  EXPECT_TRUE(matches_template("file://{+path}", "file:///a/b?c#d"));
  EXPECT_TRUE(matches_template("x{#frag}", "x#y/z"));
  EXPECT_FALSE(matches_template("file://{+path}.txt", "file:///a.md"));
  EXPECT_TRUE(matches_template("file://{+path}.txt", "file:///a.txt.txt"));
}

TEST(uri_template, prefixed_expressions_begin_with_their_mark_or_are_empty) {
  EXPECT_TRUE(matches_template("a{/x,y}", "a"));
  EXPECT_TRUE(matches_template("a{/x,y}", "a/1/2"));
  EXPECT_FALSE(matches_template("a{/x}", "ab"));
  EXPECT_TRUE(matches_template("a{?q,r}", "a?q=1&r=2"));
  EXPECT_TRUE(matches_template("a{?q}", "a"));
  EXPECT_FALSE(matches_template("a{?q}", "a&q=1"));
  EXPECT_TRUE(matches_template("a?f=1{&q}", "a?f=1&q=2"));
  EXPECT_TRUE(matches_template("a{.ext}", "a.json"));
  EXPECT_TRUE(matches_template("a{;p}", "a;p=1"));
}

TEST(uri_template, that_is_broken_matches_only_itself) {
  EXPECT_TRUE(matches_template("a{b", "a{b"));
  EXPECT_FALSE(matches_template("a{b", "ab"));
  EXPECT_TRUE(matches_template("a{}b", "a1b"));
}

TEST(uri_template, takes_no_longer_than_the_product_of_the_lengths) {
  std::string hostile;
  for (int i = 0; i < 200; ++i) hostile += "{+a}x";
  EXPECT_FALSE(matches_template(hostile, std::string(2000, 'x') + "y"));
}

}  // namespace
}  // namespace gate::mcp
