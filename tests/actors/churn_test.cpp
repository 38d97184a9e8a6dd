// Chaos, then healing: thousands of stories, each made by its seed. GATE_CHURN_FIRST and
// GATE_CHURN_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_CHURN_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "tests/support/many_stories.hpp"

namespace gate::churn {
namespace {

const testing::many_stories& all_of_them() {
  static const testing::many_stories all("gateway", "churn", "GATE_CHURN");
  return all;
}

TEST(churn, many_seeds) {
  all_of_them().tell_many(100);
}

TEST(churn, a_seed_tells_the_same_story_twice) {
  all_of_them().tell_twice(6);
}

// --- the checkers see ----------------------------------------------------------------------------

class churn_canary : public ::testing::TestWithParam<runs::plant> {};

/// Within so many seeds the complaint comes, where without the canary there is none.
TEST_P(churn_canary, is_seen) {
  all_of_them().expect_seen(GetParam(), 100);
}

INSTANTIATE_TEST_SUITE_P(all, churn_canary,
                         ::testing::ValuesIn(runs::find_kind("gateway")->plants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::churn
