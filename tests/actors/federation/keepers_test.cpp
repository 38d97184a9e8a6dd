#include "actors/federation/keepers.hpp"

#include <gtest/gtest.h>

namespace gate::federation {
namespace {

using namespace std::chrono_literals;
using time = std::chrono::steady_clock::time_point;

TEST(keepers, whoever_has_most_gives_up_what_it_has_for_longest) {
  EXPECT_FALSE(first_to_go({}));
  EXPECT_EQ(first_to_go({{1, 7, time{3s}}, {2, 8, time{1s}}}), 2U);
  EXPECT_EQ(first_to_go({{1, 7, time{3s}}, {2, 8, time{1s}}, {3, 7, time{2s}}}), 3U);
}

TEST(keepers, of_those_who_have_so_many_nobody_goes) {
  EXPECT_EQ(first_to_go({{1, 7, time{1s}}, {2, 7, time{2s}}, {3, 8, time{0s}}}, 1), 1U);
  EXPECT_EQ(first_to_go({{1, 7, time{1s}, true}, {2, 8, time{0s}}}, 1), std::nullopt);
}

TEST(keepers, what_is_waited_for_stays) {
  EXPECT_EQ(first_to_go({{1, 7, time{1s}, true}, {2, 7, time{2s}}, {3, 8, time{0s}}}), 2U);
  EXPECT_FALSE(first_to_go({{1, 7, time{1s}, true}}));
}

}  // namespace
}  // namespace gate::federation
