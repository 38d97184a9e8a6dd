// A fleet in chaos, then healing: hundreds of stories, each made by its seed. GATE_FLEET_FIRST and
// GATE_FLEET_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_FLEET_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "tests/support/many_stories.hpp"

namespace gate::fleet_churn {
namespace {

const testing::many_stories& all_of_them() {
  static const testing::many_stories all("fleet", "fleet_churn", "GATE_FLEET");
  return all;
}

TEST(fleet_churn, many_seeds) {
  all_of_them().tell_many(20);
}

TEST(fleet_churn, a_seed_tells_the_same_story_twice) {
  all_of_them().tell_twice(3);
}

// --- the checkers see ----------------------------------------------------------------------------

class fleet_canary : public ::testing::TestWithParam<runs::plant> {};

/// Within a few seeds the complaint comes, where without the canary there is none.
TEST_P(fleet_canary, is_seen) {
  all_of_them().expect_seen(GetParam(), 8);
}

INSTANTIATE_TEST_SUITE_P(all, fleet_canary, ::testing::ValuesIn(runs::find_kind("fleet")->plants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::fleet_churn
