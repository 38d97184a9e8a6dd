#include "config/text.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

TEST(text, kinds) {
  EXPECT_TRUE(fits(text::free, ""));
  EXPECT_FALSE(fits(text::plain, ""));
  EXPECT_TRUE(fits(text::plain, " "));
  for (auto good : {"a", "0", "a-b-9", "-"}) EXPECT_TRUE(fits(text::name, good)) << good;
  for (auto bad : {"", "A", "a_b", "a.b", "é"}) EXPECT_FALSE(fits(text::name, bad)) << bad;
  for (auto good : {"A", "_x9", "token"}) EXPECT_TRUE(fits(text::variable, good)) << good;
  for (auto bad : {"", "9a", "a-b", "a b", "a="}) EXPECT_FALSE(fits(text::variable, bad)) << bad;
  for (auto good : {"__", ".", "::", "X"}) EXPECT_TRUE(fits(text::separator, good)) << good;
  for (auto bad : {"", "-", "_a_", "_1"}) EXPECT_FALSE(fits(text::separator, bad)) << bad;
}

TEST(text, tokens_and_scopes) {
  EXPECT_TRUE(is_token("X-Api_Key.1"));
  for (auto bad : {"", "a b", "a:b", "a\n", "\"a\"", "\xc3\xa9"}) EXPECT_FALSE(is_token(bad));
  EXPECT_TRUE(is_header_value("a b\t\"c\" \xc3\xa9"));
  for (auto bad : {"a\r", "a\nb", "\x01", "\x7f"}) EXPECT_FALSE(is_header_value(bad));
  EXPECT_FALSE(is_header_value(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_scope("api://x/.default"));
  for (auto bad : {"", "a b", "\"", "\\"}) EXPECT_FALSE(is_scope(bad));
}

TEST(text, hosts) {
  for (auto good : {"localhost", "MCP.Example.com", "10.0.0.1", "::1", "[::1]", "a_b.c-d"}) {
    EXPECT_TRUE(is_host(good)) << good;
  }
  for (auto bad : {"", "a:80", "[::1]:80", "http://a", "a/b", "*", "*.a", "a b", "u@a", ".a",
                   "a..b", "a?b", "a#b", "a:", "999.1.1.1"}) {
    EXPECT_FALSE(is_host(bad)) << bad;
  }
}

}  // namespace
}  // namespace gate::config
