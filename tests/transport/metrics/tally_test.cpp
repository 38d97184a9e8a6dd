#include "transport/metrics/tally.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <thread>
#include <vector>

namespace gate {
namespace {

constexpr std::array bounds{1.0, 2.0, 5.0};

std::vector<std::uint64_t> counts(const tally& t) {
  std::vector<std::uint64_t> out;
  for (const auto& b : t.collect().bucket) out.push_back(b.cumulative_count);
  return out;
}

using counted = std::vector<std::uint64_t>;

TEST(tally, a_bound_belongs_to_what_is_below_it) {
  tally t(bounds);
  const auto p = t.add_part();
  for (const double x : {-1.0, 1.0, 1.5, 2.0, 5.0, 5.5, 1e9}) p->observe(x);
  EXPECT_EQ(counts(t), (counted{2, 4, 5, 7}));
  const auto all = t.collect();
  EXPECT_EQ(all.sample_count, 7u);
  EXPECT_EQ(all.sample_sum, -1.0 + 1.0 + 1.5 + 2.0 + 5.0 + 5.5 + 1e9);
  EXPECT_EQ(all.bucket[1].upper_bound, 2.0);
  EXPECT_TRUE(std::isinf(all.bucket.back().upper_bound));
}

TEST(tally, nothing_is_counted_of_what_is_no_number_but_that_it_was_one_more) {
  tally t(bounds);
  t.add_part()->observe(std::nan(""));
  EXPECT_EQ(t.collect().sample_count, 1u);
}

TEST(tally, parts_are_added_up_also_those_that_are_gone) {
  tally t(bounds);
  auto one = t.add_part();
  auto other = t.add_part();
  one->observe(1);
  other->observe(4);
  EXPECT_EQ(counts(t), (counted{1, 1, 2, 2}));
  const auto copy = one;
  one.reset();
  copy->observe(1);
  EXPECT_EQ(counts(t), (counted{2, 2, 3, 3}));
  other.reset();
  EXPECT_EQ(counts(t), (counted{2, 2, 3, 3})) << "though its part is not joined yet";
  EXPECT_EQ(t.parts(), 2u);
  const auto third = t.add_part();
  EXPECT_EQ(t.parts(), 2u) << "one is in use, one is new";
  EXPECT_EQ(counts(t), (counted{2, 2, 3, 3}));
  EXPECT_EQ(t.collect().sample_sum, 6);
}

TEST(tally, there_are_not_more_parts_than_handles) {
  tally t(bounds);
  std::optional<std::shared_ptr<tally::part>> latest;
  for (int i = 0; i < 1000; ++i) {
    latest = t.add_part();
    (*latest)->observe(1);
    EXPECT_LE(t.parts(), 2u);
  }
  EXPECT_EQ(t.collect().sample_count, 1000u);
}

TEST(tally, nothing_is_lost_between_threads) {
  tally t(bounds);
  constexpr int threads = 3, each = 20'000;
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i)
    writers.emplace_back([p = t.add_part()] {
      for (int n = 0; n < each; ++n) p->observe(n % 4);
    });
  std::uint64_t before = 0;
  while (before < 1000) {
    const auto now = t.collect().sample_count;
    ASSERT_GE(now, before);
    before = now;
  }
  for (auto& w : writers) w.join();
  EXPECT_EQ(t.collect().sample_count, std::uint64_t{threads} * each);
  EXPECT_EQ(t.collect().sample_sum, threads * each * 1.5);
}

}  // namespace
}  // namespace gate
