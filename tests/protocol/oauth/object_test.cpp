#include "protocol/oauth/object.hpp"

#include <gtest/gtest.h>

namespace gate::oauth {
namespace {

TEST(object, members_by_their_names) {
  const auto o = object::read(R"( {"a":1, "b\u0063":"x" ,"d":{"a":[2]}} )").value();
  EXPECT_EQ(o.get("a"), "1");
  EXPECT_EQ(o.get("bc"), "\"x\"");
  EXPECT_EQ(o.get("d"), R"({"a":[2]})");
  EXPECT_EQ(o.get("A"), "");
  EXPECT_TRUE(o.has("a"));
  EXPECT_FALSE(o.has("e"));
  EXPECT_FALSE(object::read("{}").value().has(""));
}

TEST(object, no_member_twice) {
  for (const char* text : {R"({"a":1,"a":1})", R"({"a":1,"b":2,"c":3,"\u0061":1})",
                           R"({"\u0061":1,"\u0061":1})", R"({"":1,"":1})"})
    EXPECT_EQ(object::read(text).error().what, "has a member twice");
  EXPECT_TRUE(object::read(R"({"a":1,"A":1,"aa":2,"a ":3,"":4})").has_value());
}

TEST(object, other_texts) {
  for (const char* text : {"", "[]", "1", "null", "<html>", "\"{}\""})
    EXPECT_EQ(object::read(text).error().what, "is not an object");
  for (const char* text : {"{", "{}x", "{}{}", R"({"a"})", R"({"a":})", R"({"a":1,})",
                           "{\"a\":\"\x01\"}", "{\"\xff\":1}"})
    EXPECT_TRUE(object::read(text).error().what.starts_with("is malformed")) << text;
}

TEST(object, many_members_are_no_trouble) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  EXPECT_TRUE(object::read(text + "}").has_value());
  EXPECT_FALSE(object::read(text + ",\"49\":0}").has_value());
}

TEST(object, strings) {
  EXPECT_EQ(text_of("\"\""), "");
  EXPECT_EQ(text_of(R"("a\n\u00e9")"), "a\n\u00e9");
  EXPECT_EQ(text_of(R"("\ud83d\udd11")"), "\U0001f511");
  EXPECT_EQ(text_of("\"\xef\xbf\xbd\""), "\xef\xbf\xbd") << "written, not made";
  for (const char* raw : {"", "1", "null", "[]", "{}", "true", R"("\ud800")", R"("a\udc00b")",
                          R"("\ud800\ud800")", "\"\xff\"", "\"a", "a\"", "\"a\"b"})
    EXPECT_FALSE(text_of(raw).has_value()) << raw;
}

TEST(object, lists_of_strings) {
  using list = std::vector<std::string>;
  EXPECT_EQ(texts_of("[]", 9), list{});
  EXPECT_EQ(texts_of(R"([ "a" , "\u0062" ])", 9), (list{"a", "b"}));
  EXPECT_EQ(texts_of(R"(["a","b"])", 2), (list{"a", "b"}));
  EXPECT_FALSE(texts_of(R"(["a","b"])", 1).has_value());
  for (const char* raw : {"", "\"a\"", "{}", R"(["a",1])", R"([null])", R"([["a"]])", R"(["a"]x)",
                          R"(["\ud800"])", R"(["a",)"})
    EXPECT_FALSE(texts_of(raw, 9).has_value()) << raw;
}

TEST(object, numbers) {
  EXPECT_EQ(number_of("0"), 0);
  EXPECT_EQ(number_of("-0"), 0);
  EXPECT_EQ(number_of("1800000000"), 1800000000);
  EXPECT_EQ(number_of("-12.75"), -12.75);
  EXPECT_EQ(number_of("1.8e9"), 1800000000);
  EXPECT_EQ(number_of("1E+2"), 100);
  for (const char* raw : {"",
                          "\"1\"",
                          "null",
                          "true",
                          "[1]",
                          "{}",
                          "nan",
                          "inf",
                          "-inf",
                          "NaN",
                          "Infinity",
                          "1e400",
                          "-1e400",
                          "0x10",
                          "01",
                          "+1",
                          "1.",
                          ".5",
                          "1e",
                          "--1",
                          "1 2",
                          " 1",
                          "1e99999999999999"})
    EXPECT_FALSE(number_of(raw).has_value()) << raw;
  EXPECT_TRUE(number_of(std::string(300, '9')).has_value());
  EXPECT_FALSE(number_of(std::string(400, '9')).has_value());
}

}  // namespace
}  // namespace gate::oauth
