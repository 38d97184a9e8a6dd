#include "actors/federation/list_places.hpp"

#include <gtest/gtest.h>

namespace gate::federation {
namespace {

TEST(list_places, are_everybodys_while_there_are_some) {
  list_places p(2);
  EXPECT_TRUE(p.open_to(99, 7));
  p.enter(1, 7);
  p.enter(1, 7);
  EXPECT_EQ(p.count(7), 1U);
  EXPECT_TRUE(p.has(1));
  EXPECT_TRUE(p.open_to(99, 7));
  p.enter(2, 7);
  EXPECT_FALSE(p.room());
  EXPECT_FALSE(p.open_to(99, 7)) << "it has them all";
  p.leave(2);
  p.leave(2);
  EXPECT_FALSE(p.has(2));
  EXPECT_TRUE(p.room());
}

TEST(list_places, are_freed_for_who_has_fewer_and_not_taken_back) {
  list_places p(4);
  for (std::uint64_t client = 1; client <= 4; ++client) p.enter(client, 7);
  EXPECT_TRUE(p.open_to(99, 8));
  p.leave(1);
  p.enter(5, 8);
  EXPECT_TRUE(p.open_to(99, 8)) << "three and one";
  EXPECT_FALSE(p.open_to(99, 7));
  p.leave(2);
  p.enter(6, 8);
  EXPECT_FALSE(p.open_to(99, 8)) << "two each";
  EXPECT_FALSE(p.open_to(99, 7));
  EXPECT_TRUE(p.open_to(99, 9)) << "which would have one";
  p.leave(5);
  p.leave(6);
  p.leave(3);
  p.leave(4);
  EXPECT_EQ(p.count(7) + p.count(8), 0U);
}

TEST(list_places, beyond_the_bound_in_bytes_the_largest_of_who_has_most_go) {
  const auto all = [](std::uint64_t) { return true; };
  list_places p(9, 100);
  for (std::uint64_t client = 1; client <= 3; ++client) p.enter(client, 7);
  p.enter(4, 8);
  for (std::uint64_t client = 1; client <= 3; ++client) p.weigh(client, 20 + client);
  p.weigh(4, 30);
  EXPECT_FALSE(p.take_largest(all));
  p.weigh(4, 40);
  EXPECT_EQ(p.take_largest([](std::uint64_t client) { return client != 3; }), 2U);
  EXPECT_EQ(p.bytes(), 84U);
  EXPECT_FALSE(p.take_largest(all));
  EXPECT_FALSE(p.has(2));
  EXPECT_FALSE(p.open_to(2, 7)) << "or it would go again, and again";
  EXPECT_TRUE(p.open_to(5, 7));
  p.leave(1);
  EXPECT_TRUE(p.open_to(2, 7)) << "it fits by now";
  p.enter(2, 7);
  p.weigh(2, 1000);
  EXPECT_EQ(p.take_largest(all), 2U);
  p.forget(2);
  EXPECT_TRUE(p.fits(2));
}

TEST(list_places, who_can_not_go_at_the_moment_costs_nobody_else_a_place) {
  list_places p(9, 100);
  for (std::uint64_t client = 1; client <= 4; ++client) {
    p.enter(client, client);
    p.weigh(client, client == 1 ? 150 : 1);
  }
  EXPECT_FALSE(p.take_largest([](std::uint64_t client) { return client != 1; }));
  EXPECT_TRUE(p.has(2) && p.has(3) && p.has(4));
  EXPECT_EQ(p.take_largest([](std::uint64_t) { return true; }), 1U);
}

TEST(list_places, one_who_can_not_go_is_in_nobodys_way_who_has_more_than_a_fair_part) {
  for (std::uint64_t waits = 1; waits <= 3; ++waits) {
    list_places p(9, 100);
    for (std::uint64_t client = 1; client <= 3; ++client) {
      p.enter(client, client);
      p.weigh(client, 50);
    }
    const auto gone = p.take_largest([&](std::uint64_t client) { return client != waits; });
    ASSERT_TRUE(gone) << waits;
    EXPECT_NE(*gone, waits);
    EXPECT_EQ(p.bytes(), 100U);
  }
  list_places p(9, 100);
  p.enter(1, 7);
  p.enter(2, 7);
  p.enter(3, 8);
  p.enter(4, 9);
  p.weigh(1, 90);
  p.weigh(2, 30);
  p.weigh(3, 60);
  p.weigh(4, 33);
  const auto not_most = [](std::uint64_t client) { return client > 2; };
  EXPECT_EQ(p.take_largest(not_most), 3U) << "who has most after who has most";
  EXPECT_FALSE(p.take_largest(not_most)) << "the last one has no more than its part";
  EXPECT_EQ(p.take_largest([](std::uint64_t client) { return client != 1; }), 2U)
      << "a smaller one of who has most";
}

}  // namespace
}  // namespace gate::federation
