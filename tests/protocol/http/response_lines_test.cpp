#include "protocol/http/response_lines.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(response_lines, tell_when_to_come_again) {
  using std::chrono::seconds;
  EXPECT_EQ(retry_after(seconds{0}), "Retry-After: 0\r\n");
  EXPECT_EQ(retry_after(seconds{1}), retry_soon);
  EXPECT_EQ(retry_after(seconds{5}), retry_later);
  EXPECT_EQ(retry_after(seconds{86'400}), "Retry-After: 86400\r\n");
}

}  // namespace
}  // namespace gate::http
