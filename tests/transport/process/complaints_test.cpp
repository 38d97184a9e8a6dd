#include "transport/process/complaints.hpp"

#include <gtest/gtest.h>

namespace gate::process {
namespace {

using namespace std::chrono_literals;

constexpr complaints::time_point start{1000h};
constexpr auto burst = static_cast<std::size_t>(limits::child_complaints_at_once);
constexpr auto rate = static_cast<std::size_t>(limits::child_complaints_per_second);

std::size_t admitted(complaints& c, std::size_t lines, complaints::time_point now) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < lines; ++i) n += c.admit(now);
  return n;
}

TEST(complaints, a_burst_is_admitted_and_the_rest_is_counted) {
  complaints c;
  EXPECT_FALSE(c.exhausted(start));
  EXPECT_EQ(admitted(c, burst + 30, start), burst);
  EXPECT_TRUE(c.exhausted(start));
  c.drop(5);
  EXPECT_EQ(c.take_dropped(), 35U);
  EXPECT_EQ(c.take_dropped(), 0U);
}

TEST(complaints, then_so_many_a_second) {
  complaints c;
  admitted(c, burst, start);
  EXPECT_EQ(admitted(c, burst, start + 1s), rate);
  EXPECT_TRUE(c.exhausted(start + 1s));
  EXPECT_FALSE(c.exhausted(start + 2s));
  EXPECT_EQ(admitted(c, burst, start + 2s), rate);
  EXPECT_EQ(admitted(c, 1, start + 2s), 0U);
}

TEST(complaints, silence_earns_no_more_than_a_burst) {
  complaints c;
  admitted(c, burst, start);
  EXPECT_EQ(admitted(c, 10 * burst, start + 1h), burst);
}

}  // namespace
}  // namespace gate::process
