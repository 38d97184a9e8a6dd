#include "protocol/http/retry_after.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

using namespace std::chrono;

// Sun, 06 Nov 1994 08:49:37 GMT
const system_clock::time_point then =
    sys_days{year{1994} / 11 / 6} + hours{8} + minutes{49} + seconds{37};

std::optional<seconds> at(std::string_view text) {
  return read_retry_after(text, then);
}

TEST(retry_after, is_seconds) {
  EXPECT_EQ(at("0"), seconds{0});
  EXPECT_EQ(at("120"), seconds{120});
  EXPECT_EQ(at("99999999999999999999"), hours{24 * 366}) << "no longer than anybody waits";
}

TEST(retry_after, is_a_date) {
  EXPECT_EQ(at("Sun, 06 Nov 1994 08:50:00 GMT"), seconds{23});
  EXPECT_EQ(at("Mon, 07 Nov 1994 08:49:37 GMT"), seconds{86400});
  EXPECT_EQ(at("Sun, 06 Nov 1994 08:00:00 GMT"), seconds{0}) << "it is over";
  EXPECT_EQ(at("Fri, 31 Dec 9999 23:59:59 GMT"), hours{24 * 366});
  EXPECT_EQ(at("Mon, 01 Jan 0001 00:00:00 GMT"), seconds{0});
}

TEST(retry_after, that_is_neither_is_none) {
  for (const auto* bad : {"", "-1", "1.5", " 1", "1 ", "0x1", "soon", "Sun, 06 Nov 1994 08:50:00",
                          "06 Nov 1994", "Sun, 06 Foo 1994 08:50:00 GMT",
                          "Sun, 31 Feb 1994 08:50:00 GMT", "Sun, 06 Nov 1994 24:50:00 GMT",
                          "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, -6 Nov 1994 08:50:00 GMT",
                          "Sun, 06-Nov-1994 08:50:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"})
    EXPECT_FALSE(at(bad)) << bad;
}

}  // namespace
}  // namespace gate::http
