#include "transport/process/trimmer.hpp"

#include <gtest/gtest.h>

namespace gate::process {
namespace {

constexpr std::size_t mib = 1024 * 1024;

memory_use all(std::size_t resident_mib, std::size_t in_use_mib = 0) {
  return {resident_mib * mib, in_use_mib * mib};
}

TEST(trim_rule, a_peak_that_is_over_is_worth_it_once) {
  trim_rule r;
  EXPECT_FALSE(r.is_time(all(20)));
  EXPECT_FALSE(r.is_time(all(20))) << "nothing to give back";
  EXPECT_FALSE(r.is_time(all(200))) << "it grows: what is free will be used again";
  EXPECT_TRUE(r.is_time(all(200)));
  r.trimmed(all(30));
  EXPECT_FALSE(r.is_time(all(30)));
  EXPECT_FALSE(r.is_time(all(61)));
  EXPECT_FALSE(r.is_time(all(61))) << "too little";
}

TEST(trim_rule, what_is_in_use_is_not_looked_through_again_and_again) {
  trim_rule r;
  EXPECT_FALSE(r.is_time(all(20)));
  EXPECT_FALSE(r.is_time(all(500)));
  EXPECT_TRUE(r.is_time(all(500)));
  r.trimmed(all(495));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(r.is_time(all(500)));
  EXPECT_FALSE(r.is_time(all(540)));
  EXPECT_TRUE(r.is_time(all(540)));
}

TEST(trim_rule, a_peak_that_lasts_is_in_use_until_it_is_over) {
  trim_rule r;
  r.trimmed(all(20, 6));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(r.is_time(all(112, 98)));
  EXPECT_FALSE(r.is_time(all(112, 8))) << "a moment ago it was used";
  EXPECT_TRUE(r.is_time(all(112, 8)));
  r.trimmed(all(60, 8));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(r.is_time(all(60, 8))) << "the rest can not be had";
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(r.is_time(all(112, 98)));
  EXPECT_FALSE(r.is_time(all(112, 8)));
  EXPECT_TRUE(r.is_time(all(112, 8))) << "the next peak";
}

TEST(trimmer, ends_at_once) {
  EXPECT_GT(look_at_memory().resident, mib);
  const trimmer t;
}

}  // namespace
}  // namespace gate::process
