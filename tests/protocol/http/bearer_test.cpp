#include "protocol/http/bearer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::http {
namespace {

bearer read(const std::vector<std::string_view>& values) {
  std::vector<header> headers{{"Host", "gate.test"}};
  for (const auto v : values) headers.push_back({"Authorization", v});
  return read_bearer(headers);
}

TEST(bearer, is_the_token_behind_the_scheme) {
  EXPECT_EQ(read({"Bearer t0ken"}).token, "t0ken");
  EXPECT_EQ(read({"bEARER t0ken"}).token, "t0ken");
  EXPECT_EQ(read({"Bearer   t0ken"}).token, "t0ken");
  EXPECT_EQ(read({"Bearer a b"}).token, "a b");
}

TEST(bearer, is_nothing_else) {
  for (const auto v :
       {"", "Bearer", "Bearer ", "Bearer   ", "t0ken", "Basic dDBrZW4=", "Bearert0ken"})
    EXPECT_EQ(read({v}).token, "") << v;
  EXPECT_EQ(read({}).token, "");
  EXPECT_FALSE(read({}).twice);
}

TEST(bearer, can_not_be_what_would_break_a_header) {
  for (const auto* good : {"t0ken", "a.b-c_d~e+f/g=", "!"})
    EXPECT_TRUE(can_be_bearer(good)) << good;
  for (const auto* bad : {"", " ", "a b", "a\r\nHost: evil", "line\n", "caf\xC3\xA9", "\x7f"})
    EXPECT_FALSE(can_be_bearer(bad)) << bad;
  EXPECT_FALSE(can_be_bearer(std::string_view("a\0b", 3)));
}

TEST(bearer, is_told_when_there_are_two) {
  EXPECT_FALSE(read({"Bearer t0ken"}).twice);
  EXPECT_TRUE(read({"Bearer t0ken", "Bearer t0ken"}).twice);
  EXPECT_TRUE(read({"Bearer t0ken", "Basic dDBrZW4="}).twice);
  EXPECT_TRUE(read({"Basic dDBrZW4=", "Basic dDBrZW4="}).twice);
}

}  // namespace
}  // namespace gate::http
