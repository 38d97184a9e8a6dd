#include "protocol/stdio/line_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::stdio {
namespace {

using lines = std::vector<std::string>;

struct reading {
  lines told;
  std::size_t too_long = 0;
  bool operator==(const reading&) const = default;
};

/// Reads `text`, cut at `cut`, to its end.
reading read(std::string_view text, std::size_t most, beyond what = beyond::drop,
             std::size_t cut = 0) {
  line_reader r(most, what);
  reading out;
  const auto take = [&](std::string line) { out.told.push_back(std::move(line)); };
  r.feed(text.substr(0, cut), take);
  r.feed(text.substr(std::min(cut, text.size())), take);
  r.finish(take);
  out.too_long = r.take_too_long();
  EXPECT_EQ(r.held(), 0U);
  return out;
}

TEST(line_reader, tells_each_line_without_its_line_break) {
  EXPECT_EQ(read("a\nbc\n", 10).told, (lines{"a", "bc"}));
  EXPECT_EQ(read("a\r\nb\r\n", 10).told, (lines{"a", "b"}));
  EXPECT_EQ(read("a\rb\n", 10).told, (lines{"a\rb"}));
  EXPECT_EQ(read(std::string("a\0b\n", 4), 10).told, (lines{std::string("a\0b", 3)}));
}

TEST(line_reader, empty_lines_are_none) {
  EXPECT_EQ(read("\n\r\n\na\n\n", 10).told, lines{"a"});
  EXPECT_EQ(read("", 10).told, lines{});
}

TEST(line_reader, the_last_line_needs_no_line_break) {
  EXPECT_EQ(read("a\nb", 10).told, (lines{"a", "b"}));
  EXPECT_EQ(read("a\r", 10).told, lines{"a"});
}

TEST(line_reader, a_line_of_exactly_the_bound_is_told) {
  for (const char* text : {"abc\n", "abc\r\n", "abc"}) {
    EXPECT_EQ(read(text, 3), (reading{{"abc"}, 0})) << text;
    EXPECT_EQ(read(text, 2), (reading{{}, 1})) << text;
    EXPECT_EQ(read(text, 2, beyond::cut), (reading{{"ab"}, 1})) << text;
  }
}

TEST(line_reader, goes_on_behind_a_line_that_was_too_long) {
  EXPECT_EQ(read("x\nabcdef\ny\n", 3), (reading{{"x", "y"}, 1}));
  EXPECT_EQ(read("abcdef\nabcd\ny\n", 3, beyond::cut), (reading{{"abc", "abc", "y"}, 2}));
}

TEST(line_reader, however_the_bytes_come_the_lines_are_the_same) {
  const std::string text = "a\r\n\nbcd\nlonger than that\r\nxyz\r\r\nlast";
  for (auto what : {beyond::drop, beyond::cut})
    for (std::size_t most = 1; most < 20; ++most) {
      const auto whole = read(text, most, what);
      for (std::size_t cut = 0; cut <= text.size(); ++cut)
        EXPECT_EQ(read(text, most, what, cut), whole) << most << ' ' << cut;
      line_reader r(most, what);
      reading bytewise;
      for (char c : text) {
        r.feed({&c, 1}, [&](std::string line) { bytewise.told.push_back(std::move(line)); });
        EXPECT_LE(r.held(), most + 1);
      }
      r.finish([&](std::string line) { bytewise.told.push_back(std::move(line)); });
      bytewise.too_long = r.take_too_long();
      EXPECT_EQ(bytewise, whole) << most;
    }
}

TEST(line_reader, a_dropped_line_holds_no_memory) {
  line_reader r(4);
  for (int i = 0; i < 1000; ++i) r.feed("xxxxxxxxxx", [](const std::string&) { FAIL(); });
  EXPECT_EQ(r.held(), 0U);
  EXPECT_EQ(r.take_too_long(), 0U);  // it has not ended yet
  r.feed("\n", [](const std::string&) { FAIL(); });
  EXPECT_EQ(r.take_too_long(), 1U);
  EXPECT_EQ(r.take_too_long(), 0U);
}

TEST(to_line, line_breaks_between_tokens_become_blanks) {
  EXPECT_EQ(to_line("{}"), "{}\n");
  EXPECT_EQ(to_line("{\r\n\"a\":\n1e3}"), "{  \"a\": 1e3}\n");
}

}  // namespace
}  // namespace gate::stdio
