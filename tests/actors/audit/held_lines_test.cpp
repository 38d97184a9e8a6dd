#include "actors/audit/held_lines.hpp"

#include <gtest/gtest.h>

namespace gate::audits {
namespace {

held_lines::line text(std::string s) {
  return std::make_shared<const std::string>(std::move(s));
}

std::string all_of(held_lines& h) {
  std::string out;
  for (const auto& line : h.take_all()) out += *line + ' ';
  return out;
}

TEST(held_lines, come_back_in_order_and_once) {
  held_lines h;
  EXPECT_EQ(h.keep(text("a")), 0U);
  EXPECT_EQ(h.keep(text("b")), 0U);
  EXPECT_EQ(all_of(h), "a b ");
  EXPECT_EQ(all_of(h), "");
}

TEST(held_lines, beyond_a_number_the_oldest_are_dropped) {
  held_lines h({2, 100});
  h.keep(text("a"));
  h.keep(text("b"));
  EXPECT_EQ(h.keep(text("c")), 1U);
  EXPECT_EQ(all_of(h), "b c ");
}

TEST(held_lines, beyond_their_bytes_the_oldest_are_dropped) {
  held_lines h({100, 10});
  h.keep(text("aaa"));
  h.keep(text("bbb"));
  h.keep(text("cccc"));
  EXPECT_EQ(h.keep(text("ddddd")), 2U);
  EXPECT_EQ(all_of(h), "cccc ddddd ");
  h.keep(text("0123456789"));
  EXPECT_EQ(all_of(h), "0123456789 ") << "what was taken does not count";
}

TEST(held_lines, one_that_is_too_long_alone_is_dropped_as_well) {
  held_lines h({100, 10});
  h.keep(text("a"));
  EXPECT_EQ(h.keep(text("0123456789+")), 2U);
  EXPECT_EQ(all_of(h), "");
}

}  // namespace
}  // namespace gate::audits
