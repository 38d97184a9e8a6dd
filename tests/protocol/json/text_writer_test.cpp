#include "protocol/json/text_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/json/scan.hpp"

namespace gate::json {
namespace {

template <class F>
std::string written(F f) {
  std::string out = "before ";
  {
    text_writer to(out);
    f(to);
  }
  return out.substr(7);
}

TEST(text_writer, pieces_and_numbers_stand_one_behind_the_other) {
  EXPECT_EQ(written([](text_writer& to) {
              to.put("ab");
              to.put(',');
              for (const std::uint64_t n : {0ul, 9ul, 10ul, 99ul, 100ul, 12345ul, 1234567ul}) {
                to.put(n);
                to.put(' ');
              }
              to.put(std::numeric_limits<std::uint64_t>::max());
              to.put(std::array{'x', 'y', 'z'}, 2);
              to.put("!!");
              to.take_back(1);
            }),
            "ab,0 9 10 99 100 12345 1234567 18446744073709551615xy!");
}

TEST(text_writer, numbers_have_all_their_digits) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10)
    for (const auto n : {power - 1, power, power + 1, power * 2, power + power / 3})
      EXPECT_EQ(written([&](text_writer& to) { to.put(n); }), std::to_string(n));
}

/// Of each length, with what has to be escaped at each place, alone and with others.
TEST(text_writer, quotes_as_append_quoted_does) {
  for (const std::string_view odd : {"\"", "\\", "\n", "\x01", "\xC3\xA9", "\xFF", "\"\\\"\"", "x"})
    for (std::size_t size = 0; size < 70; ++size)
      for (std::size_t at = 0; at <= size; ++at) {
        std::string text(size, 'a');
        text.insert(at, odd);
        text.insert(0, "\"");
        ASSERT_EQ(written([&](text_writer& to) { to.quoted(text); }), json::quoted(text)) << text;
      }
  std::string letters;
  for (std::size_t size = 0; size < 70; ++size, letters += static_cast<char>('!' + 1 + size))
    ASSERT_EQ(written([&](text_writer& to) { to.quoted(letters); }), json::quoted(letters));
  const std::string quotes(300, '"'), longest(200'000, '"');
  for (const auto* text : {&quotes, &longest})
    EXPECT_EQ(written([&](text_writer& to) { to.quoted(*text); }), json::quoted(*text));
}

TEST(text_writer, what_is_not_simple_leaves_nothing_behind) {
  for (const std::string_view text : {"a\nb", "0123456789abcdef0123456789abcdef0123456789\xC3\xA9"})
    EXPECT_EQ(written([&](text_writer& to) {
                to.put('<');
                EXPECT_FALSE(to.quoted_if_simple(text));
                to.put('>');
              }),
              "<>");
}

TEST(text_writer, room_that_is_used_again_is_written_from_its_beginning) {
  std::string room;
  for (const std::string_view text : {"a long one, longer than the next", "short"}) {
    text_writer to(room, text_writer::again{});
    to.put(text);
    EXPECT_EQ(to.finish(), text);
  }
  text_writer to(room, text_writer::again{});
  to.quoted("\xFF");  // by way of the string itself
  to.put('.');
  EXPECT_EQ(to.finish(), "\"\xEF\xBF\xBD\".");
}

}  // namespace
}  // namespace gate::json
