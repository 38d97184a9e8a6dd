#include "config/options/values.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace gate::config {
namespace {

enum class pace { slow, quick };
constexpr word_table<pace, 2> paces{{{"slow", pace::slow}, {"quick", pace::quick}}};

TEST(option_values, keep_what_was_there_if_they_are_wrong) {
  std::uint16_t port = 7;
  EXPECT_TRUE(read_number<std::uint16_t>("65536", 0, 65'535, port));
  EXPECT_TRUE(read_number<std::uint16_t>("-1", 0, 65'535, port));
  EXPECT_TRUE(read_number<std::uint16_t>("", 0, 65'535, port));
  EXPECT_EQ(port, 7);
  EXPECT_FALSE(read_number<std::uint16_t>("65535", 0, 65'535, port));
  EXPECT_EQ(port, 65'535);
  auto p = pace::slow;
  EXPECT_EQ(read_word("Quick", paces, p), "expected one of slow, quick");
  EXPECT_EQ(p, pace::slow);
  EXPECT_FALSE(read_word("quick", paces, p));
  EXPECT_EQ(p, pace::quick);
}

TEST(option_values, in_words) {
  EXPECT_EQ(number_text(std::size_t{1048576}), "1048576");
  EXPECT_EQ(number_text(-3), "-3");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(3.0), "3");
  EXPECT_EQ(choice_of(paces), "slow or quick");
  EXPECT_EQ(word_of(pace::quick, paces), "quick");
}

}  // namespace
}  // namespace gate::config
