#include "actors/fleet/once_ledger.hpp"

#include <gtest/gtest.h>

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;
using answer = once_ledger::answer;

struct a_once_ledger : ::testing::Test {
  once_ledger it{3};
  once_ledger::time_point t{1h};
};

TEST_F(a_once_ledger, says_first_once) {
  EXPECT_EQ(it.use("a", t + 10s, t), answer::first);
  EXPECT_EQ(it.use("a", t + 99s, t), answer::known);
  EXPECT_EQ(it.use("b", t + 10s, t), answer::first);
}

TEST_F(a_once_ledger, forgets_at_the_time_and_not_before) {
  it.use("a", t + 10s, t);
  EXPECT_EQ(it.use("a", t + 10s, t + 9999ms), answer::known);
  EXPECT_EQ(it.use("a", t + 20s, t + 10s), answer::first);
  EXPECT_EQ(it.use("a", t + 20s, t + 19s), answer::known);
}

TEST_F(a_once_ledger, a_full_one_takes_nothing_new_but_forgets_nothing) {
  for (auto key : {"a", "b", "c"}) EXPECT_EQ(it.use(key, t + 10s, t), answer::first);
  EXPECT_EQ(it.use("d", t + 10s, t), answer::full);
  EXPECT_EQ(it.use("a", t + 10s, t), answer::known);
  EXPECT_EQ(it.use("d", t + 20s, t + 10s), answer::first) << "there is room again";
  EXPECT_EQ(it.size(), 1U);
}

}  // namespace
}  // namespace gate::fleet
