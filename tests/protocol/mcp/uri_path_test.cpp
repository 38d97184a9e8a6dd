#include "protocol/mcp/uri_path.hpp"

#include <gtest/gtest.h>

namespace gate::mcp {
namespace {

TEST(a_uri, has_one_reading_if_it_is_plain) {
  for (auto uri : {"file:///public/a.txt", "file:///a..b/.hidden/x...", "mem://1", "", "test:a%20b",
                   "http://h/?q=a.b", "file:///a%C3%A4"})
    EXPECT_FALSE(has_two_readings(uri)) << uri;
}

TEST(a_uri, has_two_readings_if_a_server_may_normalise_it) {
  for (auto uri : {"file:///public/../secret", "file:///public/..", "one://./x", "one://a/./b",
                   "file:///a%2f..%2fb", "file:///a/%2E%2e/b", "file:///a\\b", "file:///a%5Cb",
                   "file:///a%00b", "file:///a\x01", "x/../y?z", "x/..?z", "../x"})
    EXPECT_TRUE(has_two_readings(uri)) << uri;
  EXPECT_TRUE(has_two_readings(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace gate::mcp
