#include "protocol/base/pen.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace gate {
namespace {

TEST(pen, writes_one_piece_behind_the_other) {
  std::string paper;
  pen p(paper, 64);
  p << "a" << std::string_view("bc") << std::string_view() << 12u << "";
  EXPECT_EQ(p.text(), "abc12");
  p << std::numeric_limits<std::uint64_t>::max() << 0u;
  EXPECT_EQ(p.text(), "abc12184467440737095516150");
  EXPECT_EQ(p.size(), p.text().size());
}

TEST(pen, writes_more_than_there_was_room_for) {
  for (std::size_t room = 0; room < 20; ++room) {
    std::string paper, expected;
    pen p(paper, room);
    for (unsigned i = 0; i < 300; ++i) {
      p << "word " << i << std::string_view(expected).substr(0, i % 7);
      expected += "word " + std::to_string(i) + expected.substr(0, i % 7);
      ASSERT_EQ(p.text(), expected);
    }
  }
}

TEST(pen, what_was_written_before_is_gone) {
  std::string paper;
  pen(paper, 4) << "what was written before";
  pen p(paper, 4);
  EXPECT_EQ(p.text(), "");
  p << "x";
  EXPECT_EQ(p.text(), "x");
}

}  // namespace
}  // namespace gate
