#include "actors/sessions/used_upstreams.hpp"

#include <gtest/gtest.h>

namespace gate::sessions {
namespace {

TEST(used_upstreams, are_each_known_once) {
  used_upstreams u;
  EXPECT_FALSE(u.contains(7));
  for (const std::size_t n : {7, 3, 7, 9, 3}) u.add(n);
  EXPECT_EQ(std::vector<std::uint32_t>(u.begin(), u.end()), (std::vector<std::uint32_t>{3, 7, 9}));
  EXPECT_TRUE(u.contains(3));
  EXPECT_FALSE(u.contains(4));
}

}  // namespace
}  // namespace gate::sessions
