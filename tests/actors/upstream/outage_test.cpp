#include "actors/upstream/outage.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

struct an_outage : ::testing::Test {
  outage it;
  outage::time_point t{1000h};
};

TEST_F(an_outage, is_told_once_and_so_is_its_end) {
  EXPECT_FALSE(it.succeeded(1, t));
  EXPECT_TRUE(it.failed(1, t));
  EXPECT_FALSE(it.failed(1, t));
  EXPECT_FALSE(it.failed(2, t));
  EXPECT_FALSE(it.succeeded(1, t)) << "of the other nothing is known";
  EXPECT_TRUE(it.succeeded(2, t));
  EXPECT_FALSE(it.succeeded(2, t));
  EXPECT_TRUE(it.failed(2, t));
}

TEST_F(an_outage, of_some_is_one_while_others_succeed) {
  std::size_t told = 0;
  for (int i = 0; i < 1000; ++i) {
    told += it.failed(1, t);
    told += it.succeeded(2, t);
    t += 60s;
  }
  EXPECT_EQ(told, 1U);
}

TEST_F(an_outage, is_over_when_nobody_has_failed_for_a_while) {
  it.failed(1, t);
  EXPECT_FALSE(it.succeeded(2, t + limits::credential_outage - 1s));
  EXPECT_TRUE(it.succeeded(2, t + limits::credential_outage)) << "whoever failed is gone";
  it.failed(1, t);
  EXPECT_TRUE(it.failed(2, t + limits::credential_outage)) << "another one";
}

TEST_F(an_outage, of_very_many_ends_by_its_time) {
  for (std::uint64_t who = 0; who <= limits::credential_outage_callers; ++who) it.failed(who, t);
  for (std::uint64_t who = 0; who <= limits::credential_outage_callers; ++who)
    EXPECT_FALSE(it.succeeded(who, t));
  EXPECT_TRUE(it.succeeded(1, t + limits::credential_outage));
}

}  // namespace
}  // namespace gate::upstream
