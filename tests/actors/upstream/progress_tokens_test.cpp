#include "actors/upstream/progress_tokens.hpp"

#include <gtest/gtest.h>

#include <set>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using tokens = progress_tokens;

TEST(progress_tokens, have_the_type_of_the_clients) {
  tokens t(1);
  for (std::string theirs : {"7", "7.0", R"("7")", R"("")"}) {
    const auto n = t.make(5, theirs);
    const auto raw = tokens::raw(n, theirs);
    EXPECT_EQ(raw.starts_with('"'), theirs.starts_with('"'));
    ASSERT_TRUE(t.find(raw));
    EXPECT_EQ(t.find(raw)->theirs, theirs);
    EXPECT_EQ(t.find(raw)->request, 5U);
    const auto digits = std::to_string(n);
    EXPECT_FALSE(t.find(theirs.starts_with('"') ? digits : '"' + digits + '"'));
  }
}

TEST(progress_tokens, that_are_none_mean_nothing) {
  tokens t(1);
  const auto n = std::to_string(t.make(5, "7"));
  for (const auto& raw :
       {std::string{}, std::string("7"), n + ".0", n + "e0", "0" + n + "1", std::string("null"),
        std::string("{}"), std::string("\""), std::string("99999999999999999999999")})
    EXPECT_FALSE(t.find(raw)) << raw;
  EXPECT_TRUE(t.find(n));
  const auto text = tokens::raw(t.make(6, R"("a")"), R"("a")");
  auto escaped = text;
  escaped.replace(1, 1, "\\u003" + text.substr(1, 1));
  EXPECT_TRUE(t.find(escaped)) << escaped;
}

TEST(progress_tokens, are_all_different_and_exact_as_floating_point) {
  tokens a(1), b(2);
  std::set<tokens::number> all;
  for (std::uint64_t i = 0; i < 1000; ++i)
    for (auto* t : {&a, &b}) {
      const auto n = t->make(i, "1");
      EXPECT_TRUE(all.insert(n).second);
      EXPECT_LE(n, std::uint64_t{1} << 53U);
    }
}

TEST(progress_tokens, end_with_their_ticket) {
  auto t = std::make_shared<tokens>(1);
  {
    progress_ticket one(t, 1, "1"), two(t, 2, "1");
    EXPECT_EQ(t->size(), 2U);
    one = progress_ticket(t, 3, "1");  // it is sent once more
    EXPECT_EQ(t->size(), 2U);
    EXPECT_EQ(t->find(tokens::raw(one.number(), "1"))->request, 3U);
  }
  EXPECT_EQ(t->size(), 0U);
  progress_ticket none;
  EXPECT_FALSE(none);
}

TEST(progress_tokens, of_tasks_outlive_their_request_until_the_task_ends) {
  auto t = std::make_shared<tokens>(1);
  std::string raw;
  {
    progress_ticket one(t, 1, "1");
    raw = tokens::raw(one.number(), "1");
    one.keep_for_task("t1");
  }
  ASSERT_TRUE(t->find(raw));
  EXPECT_EQ(t->find(raw)->request, 0U);
  t->end_task("t2");
  EXPECT_TRUE(t->find(raw));
  t->end_task("t1");
  EXPECT_FALSE(t->find(raw));
  EXPECT_EQ(t->size(), 0U);
}

TEST(progress_tokens, of_tasks_are_bounded) {
  auto t = std::make_shared<tokens>(1);
  progress_ticket first(t, 1, "1");
  const auto raw = tokens::raw(first.number(), "1");
  first.keep_for_task("t");
  for (std::size_t i = 0; i < limits::task_tokens; ++i)
    progress_ticket(t, 1, "1").keep_for_task(std::to_string(i));
  EXPECT_EQ(t->size(), limits::task_tokens);
  EXPECT_FALSE(t->find(raw));
}

}  // namespace
}  // namespace gate::upstream
