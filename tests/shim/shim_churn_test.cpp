// gate-stdio and its children in chaos: a thousand stories, each made by its seed. GATE_SHIM_FIRST
// and GATE_SHIM_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_SHIM_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "tests/support/many_stories.hpp"

namespace gate::shim_churn {
namespace {

const testing::many_stories& all_of_them() {
  static const testing::many_stories all("shim", "shim_churn", "GATE_SHIM");
  return all;
}

TEST(shim_churn, many_seeds) {
  all_of_them().tell_many(20);
}

TEST(shim_churn, a_seed_tells_the_same_story_twice) {
  all_of_them().tell_twice(3);
}

// --- the checkers see ----------------------------------------------------------------------------

class shim_canary : public ::testing::TestWithParam<runs::plant> {};

TEST_P(shim_canary, is_seen) {
  all_of_them().expect_seen(GetParam(), 20);
}

INSTANTIATE_TEST_SUITE_P(all, shim_canary, ::testing::ValuesIn(runs::find_kind("shim")->plants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::shim_churn
