#include "transport/process/trimmer.hpp"

#include <gtest/gtest.h>

namespace gate::process {
namespace {

constexpr std::size_t mib = 1024 * 1024;

TEST(trim_rule, a_peak_that_is_over_is_worth_it_once) {
  trim_rule r;
  EXPECT_FALSE(r.is_time(20 * mib));
  EXPECT_FALSE(r.is_time(20 * mib)) << "nothing to give back";
  EXPECT_FALSE(r.is_time(200 * mib)) << "it grows: what is free will be used again";
  EXPECT_TRUE(r.is_time(200 * mib));
  r.trimmed(30 * mib);
  EXPECT_FALSE(r.is_time(30 * mib));
  EXPECT_FALSE(r.is_time(61 * mib));
  EXPECT_FALSE(r.is_time(61 * mib)) << "too little";
}

TEST(trim_rule, what_is_in_use_is_not_looked_through_again_and_again) {
  trim_rule r;
  EXPECT_FALSE(r.is_time(20 * mib));
  EXPECT_FALSE(r.is_time(500 * mib));
  EXPECT_TRUE(r.is_time(500 * mib));
  r.trimmed(495 * mib);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(r.is_time(500 * mib));
  EXPECT_FALSE(r.is_time(540 * mib));
  EXPECT_TRUE(r.is_time(540 * mib));
}

TEST(trimmer, ends_at_once) {
  EXPECT_GT(resident_bytes(), mib);
  const trimmer t;
}

}  // namespace
}  // namespace gate::process
