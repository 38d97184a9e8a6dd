// gate-hooks in chaos, then healing: hundreds of stories, each made by its seed. GATE_HOOKS_FIRST
// and GATE_HOOKS_SEEDS choose which; a story that fails names its seed, and is told again with its
// trace and, with GATE_HOOKS_SHORTEN=1, without the operations that it does not need.
#include <gtest/gtest.h>

#include "tests/support/many_stories.hpp"

namespace gate::hook_churn {
namespace {

const testing::many_stories& all_of_them() {
  static const testing::many_stories all("hooks", "hooks_churn", "GATE_HOOKS");
  return all;
}

TEST(hooks_churn, many_seeds) {
  all_of_them().tell_many(20);
}

TEST(hooks_churn, a_seed_tells_the_same_story_twice) {
  all_of_them().tell_twice(3);
}

// --- the checkers see ----------------------------------------------------------------------------

class hooks_canary : public ::testing::TestWithParam<runs::plant> {};

TEST_P(hooks_canary, is_seen) {
  all_of_them().expect_seen(GetParam(), 60);
}

INSTANTIATE_TEST_SUITE_P(all, hooks_canary, ::testing::ValuesIn(runs::find_kind("hooks")->plants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gate::hook_churn
