// Values in PostgreSQL's binary format, byte by byte; how the server reads them: libpq_test.cpp.
#include "transport/postgres/parameters.hpp"

#include <gtest/gtest.h>

namespace gate::postgres {
namespace {

std::string bytes_of(parameters& p, int n) {
  return {p.values()[n], static_cast<std::size_t>(p.lengths()[n])};
}
std::string raw(const char* bytes, std::size_t size) {
  return {bytes, size};
}

TEST(values, numbers_texts_and_nothing) {
  parameters p;
  p.add_number(-2);
  p.add_view("text", type::text);
  p.add_view({}, type::bytes);
  p.add_null();
  ASSERT_EQ(p.size(), 4);
  EXPECT_EQ(bytes_of(p, 0), raw("\xff\xff\xff\xff\xff\xff\xff\xfe", 8));
  EXPECT_EQ(bytes_of(p, 1), "text");
  // Empty is not nothing.
  EXPECT_NE(p.values()[2], nullptr);
  EXPECT_EQ(p.lengths()[2], 0);
  EXPECT_EQ(p.values()[3], nullptr);
  EXPECT_EQ(p.formats()[0], 1);
  EXPECT_EQ(p.types()[1], type::text);
  EXPECT_EQ(p.types()[3], type::number);
}

TEST(values, arrays_say_how_many_they_have) {
  parameters p;
  p.add_numbers(std::vector<std::int64_t>{258});
  p.add_numbers(std::vector<std::optional<std::int64_t>>{{}});
  const std::vector<std::string_view> texts{"ab"};
  p.add_views(texts, type::text);
  p.add_views({}, type::bytes);
  EXPECT_EQ(bytes_of(p, 0), raw("\0\0\0\1\0\0\0\0\0\0\0\x14\0\0\0\1\0\0\0\1"
                                "\0\0\0\x8\0\0\0\0\0\0\1\2",
                                32));
  EXPECT_EQ(bytes_of(p, 1), raw("\0\0\0\1\0\0\0\1\0\0\0\x14\0\0\0\1\0\0\0\1\xff\xff\xff\xff", 24));
  EXPECT_EQ(bytes_of(p, 2), raw("\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\1\0\0\0\1\0\0\0\2"
                                "ab",
                                26));
  EXPECT_EQ(bytes_of(p, 3), raw("\0\0\0\0\0\0\0\0\0\0\0\x11", 12));
  EXPECT_EQ(p.types()[0], type::many_numbers);
  EXPECT_EQ(p.types()[2], type::many_texts);
  EXPECT_EQ(p.types()[3], type::many_bytes);
}

TEST(values, numbers_of_rows_are_of_any_size) {
  EXPECT_EQ(number_of(""), 0);
  EXPECT_EQ(number_of("\x7f"), 127);
  EXPECT_EQ(number_of("\xff"), -1);
  EXPECT_EQ(number_of("\1\2"), 258);
  EXPECT_EQ(number_of("\xff\xff\xff\xfe"), -2);
  EXPECT_EQ(number_of(raw("\x80\0\0\0\0\0\0\0", 8)), INT64_MIN);
}

TEST(values, what_is_no_text_is_made_one) {
  const std::string good = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  EXPECT_EQ(utf8_of(good), good);
  EXPECT_EQ(utf8_of(""), "");
  EXPECT_EQ(utf8_of(raw("a\0b", 3)), "a?b");
  // Cut off, too long for what they say, halves of pairs, beyond Unicode.
  EXPECT_EQ(utf8_of("\xff\xc3"), "??");
  EXPECT_EQ(utf8_of("\xe2\x82"), "??");
  EXPECT_EQ(utf8_of("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"), "?? ??? ????");
}

}  // namespace
}  // namespace gate::postgres
