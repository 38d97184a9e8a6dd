#include "protocol/recording/header_list.hpp"

#include <gtest/gtest.h>

namespace gate::recording {
namespace {

TEST(header_list, copies_share_their_lines_and_equal_ones_are_equal) {
  const header_list one{{"A", "b"}, {"C", ""}}, other{{"A", "b"}, {"C", ""}}, none;
  const auto copy = one;
  EXPECT_EQ(&copy.all(), &one.all());
  EXPECT_EQ(one, other);
  EXPECT_FALSE(one == none);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none, header_list(std::vector<header>{}));
  EXPECT_EQ(one.size(), 2U);
}

TEST(header_memo, has_what_was_kept_and_is_bounded) {
  header_memo memo;
  EXPECT_EQ(memo.find("[]"), nullptr);
  memo.keep("[]", {{"A", "b"}});
  ASSERT_NE(memo.find("[]"), nullptr);
  EXPECT_EQ(memo.find("[]")->all()[0].name, "A");
  memo.keep(std::string(limits::playback_memo_bytes + 1, 'x'), {});
  EXPECT_EQ(memo.find(std::string(limits::playback_memo_bytes + 1, 'x')), nullptr) << "too long";
  for (std::size_t i = 0; i < limits::playback_memo; ++i) memo.keep(std::to_string(i), {});
  EXPECT_EQ(memo.find("[]"), nullptr) << "all were forgotten";
  EXPECT_NE(memo.find(std::to_string(limits::playback_memo - 1)), nullptr);
}

}  // namespace
}  // namespace gate::recording
