#include "actors/webhooks/places.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gate::hooks {
namespace {

struct some_places : ::testing::Test {
  /// Grants what can be; by destination.
  std::map<std::uint64_t, std::size_t> granted() {
    std::map<std::uint64_t, std::size_t> out;
    while (const auto g = it.next()) out[g->destination] += g->n;
    return out;
  }
  using shares = std::map<std::uint64_t, std::size_t>;
  places it{100};
};

TEST_F(some_places, are_given_as_long_as_there_are_some) {
  it.claim(1, "a", 16);
  EXPECT_EQ(granted(), (shares{{1, 16}}));
  EXPECT_EQ(it.taken(), 16U);
  it.give(1, 6);
  EXPECT_EQ(it.taken(), 10U);
  it.give(1, 60);
  EXPECT_EQ(it.taken(), 0U);
}

TEST_F(some_places, are_not_all_one_organizations) {
  for (std::uint64_t i = 1; i <= 20; ++i) it.claim(i, "a", 16);
  granted();
  EXPECT_EQ(it.taken(), 75U);
  it.claim(100, "b", 16);
  EXPECT_EQ(granted(), (shares{{100, 16}})) << "whoever comes next finds room at once";
}

TEST_F(some_places, go_to_organizations_in_turns) {
  for (std::uint64_t i = 1; i <= 20; ++i) it.claim(i, "a", 16);
  granted();
  for (std::uint64_t i = 101; i <= 120; ++i) it.claim(i, "b", 16);
  granted();
  EXPECT_EQ(it.taken(), 100U);
  std::size_t a = 0, b = 0;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    it.give(i, 16);
    for (const auto& [who, n] : granted()) (who > 100 ? b : a) += n;
  }
  EXPECT_GT(a, 0U);
  EXPECT_GT(b, 0U) << "however many of the other wait";
}

TEST_F(some_places, are_free_again_when_their_destination_has_ended) {
  it.claim(1, "a", 16);
  granted();
  it.claim(1, "a", 16);
  it.forget(1);
  EXPECT_EQ(it.taken(), 0U);
  EXPECT_TRUE(granted().empty()) << "nor is its claim there any more";
  it.give(1, 3);
  EXPECT_EQ(it.taken(), 0U);
}

TEST_F(some_places, are_claimed_once_at_a_time) {
  it.claim(1, "a", 2);
  it.claim(1, "a", 9);
  EXPECT_EQ(granted(), (shares{{1, 2}}));
  it.claim(2, "a", 0);
  EXPECT_TRUE(granted().empty());
}

}  // namespace
}  // namespace gate::hooks
