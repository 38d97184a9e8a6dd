#include "actors/router/suspension_table.hpp"

#include <gtest/gtest.h>

namespace gate::routing {
namespace {

struct a_suspension_table : ::testing::Test {
  suspension_table t;
  std::uint64_t next = 1;

  suspended_call* open(const std::string& owner) {
    const auto n = next++;
    return t.open(n, n * 1000, owner, n / 100);
  }
};

TEST_F(a_suspension_table, knows_calls_by_number_and_by_name) {
  auto* s = open("ada");
  ASSERT_TRUE(s);
  EXPECT_EQ(t.find(1), s);
  EXPECT_EQ(t.find_name(1000), s);
  EXPECT_EQ(s->owner, "ada");
  EXPECT_FALSE(t.find(1000));
  EXPECT_FALSE(t.find_name(1));
  t.close(*s);
  EXPECT_FALSE(t.find(1));
  EXPECT_FALSE(t.find_name(1000));
  EXPECT_TRUE(t.empty());
}

TEST_F(a_suspension_table, takes_no_number_and_no_name_twice) {
  ASSERT_TRUE(t.open(1, 10, "ada"));
  EXPECT_FALSE(t.open(1, 11, "ada"));
  EXPECT_FALSE(t.open(2, 10, "ada"));
  EXPECT_FALSE(t.open(2, 0, "ada")) << "0 is no name";
  EXPECT_EQ(t.size(), 1U);
  t.close(*t.find(1));
  EXPECT_TRUE(t.open(1, 10, "ada"));
}

TEST_F(a_suspension_table, has_a_share_for_each_owner) {
  for (std::size_t i = 0; i < limits::suspended_calls_each; ++i) ASSERT_TRUE(open("ada"));
  EXPECT_FALSE(open("ada"));
  EXPECT_TRUE(open("bob"));
  t.close(*t.find(1));
  EXPECT_TRUE(open("ada"));
  EXPECT_FALSE(open("ada"));
}

TEST_F(a_suspension_table, is_bounded) {
  for (std::size_t i = 0; i < limits::suspended_calls; ++i)
    ASSERT_TRUE(open("owner " + std::to_string(i)));
  EXPECT_FALSE(open("another"));
  t.close(*t.find(1));
  EXPECT_TRUE(open("another"));
  t.clear();
  EXPECT_TRUE(t.empty());
}

TEST_F(a_suspension_table, leaves_an_upstream_connections_for_others) {
  for (std::size_t i = 1; i <= limits::suspended_calls_there; ++i)
    ASSERT_TRUE(t.open(i, i, std::to_string(i), 7));
  EXPECT_FALSE(t.open(5000, 5000, "ada", 7));
  EXPECT_TRUE(t.open(5000, 5000, "ada", 8));
  t.close(*t.find(1));
  EXPECT_TRUE(t.open(5001, 5001, "ada", 7));
}

TEST_F(a_suspension_table, counts_params_that_are_held) {
  auto* s = t.open(1, 1, "ada", 0, limits::suspended_total - 10);
  ASSERT_TRUE(s);
  EXPECT_EQ(t.bytes(), limits::suspended_total - 10);
  EXPECT_FALSE(t.open(2, 2, "ada", 0, 11));
  EXPECT_FALSE(t.keep(*s, 11));
  EXPECT_TRUE(t.open(2, 2, "ada", 0, 10));
  t.close(*s);
  EXPECT_EQ(t.bytes(), 10U);
}

TEST_F(a_suspension_table, keeps_so_much_of_one) {
  auto* s = open("ada");
  EXPECT_TRUE(t.keep(*s, limits::suspended_bytes));
  EXPECT_FALSE(t.keep(*s, 1));
  EXPECT_TRUE(t.keep(*s, 0));
  t.let_go(*s, 10);
  EXPECT_FALSE(t.keep(*s, 11));
  EXPECT_TRUE(t.keep(*s, 10));
  EXPECT_EQ(t.bytes(), limits::suspended_bytes);
  t.close(*s);
  EXPECT_EQ(t.bytes(), 0U);
}

TEST_F(a_suspension_table, keeps_so_much_of_all) {
  static_assert(limits::suspended_total % limits::suspended_bytes == 0);
  for (std::size_t i = 0; i < limits::suspended_total / limits::suspended_bytes; ++i) {
    auto* s = open("owner " + std::to_string(i));
    ASSERT_TRUE(t.keep(*s, limits::suspended_bytes));
  }
  auto* more = open("another");
  EXPECT_FALSE(t.keep(*more, 1));
  EXPECT_EQ(more->bytes, 0U);
  t.close(*t.find(1));
  EXPECT_TRUE(t.keep(*more, 1));
}

TEST_F(a_suspension_table, finds_those_that_are_something) {
  for (const auto upstream : {0U, 1U, 0U}) open("ada")->upstream = upstream;
  EXPECT_EQ(t.all([](auto& s) { return s.upstream == 0; }).size(), 2U);
  EXPECT_EQ(t.all([](auto& s) { return s.upstream == 1; }), std::vector<std::uint64_t>{2});
}

/// What is ours of one of them, beside what a server has said, is small.
TEST_F(a_suspension_table, is_small) {
  EXPECT_LE(sizeof(suspended_call) + sizeof(suspended_call::question) * limits::session_questions,
            16U * 1024U);
}

}  // namespace
}  // namespace gate::routing
