#include "actors/upstream/numbered_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace gate::upstream {
namespace {

using line = numbered_queue<std::unique_ptr<int>>;

std::unique_ptr<int> one(int x) {
  return std::make_unique<int>(x);
}

TEST(numbered_queue, gives_each_back_under_its_number_once) {
  line l;
  EXPECT_TRUE(l.empty());
  EXPECT_FALSE(l.take(0));
  EXPECT_FALSE(l.take(1));
  const auto announced = l.next();
  const auto a = l.add(one(7));
  EXPECT_EQ(a, announced);
  const auto b = l.add(one(8));
  EXPECT_EQ(l.size(), 2U);
  EXPECT_EQ(**l.take(b), 8);
  EXPECT_FALSE(l.take(b));
  EXPECT_FALSE(l.take(b + 1));
  EXPECT_EQ(**l.take(a), 7);
  EXPECT_FALSE(l.take(a));
  EXPECT_TRUE(l.empty());
  EXPECT_EQ(l.length(), 0U);
  EXPECT_GT(l.add(one(9)), b) << "a number is never given twice";
}

TEST(numbered_queue, who_waits_longest_holds_the_places_behind_it) {
  line l;
  const auto first = l.add(one(0));
  for (int i = 1; i < 100; ++i) l.take(l.add(one(i)));
  EXPECT_EQ(l.size(), 1U);
  EXPECT_EQ(l.length(), 1U + 99);
  l.take(first);
  EXPECT_EQ(l.length(), 0U);
}

TEST(numbered_queue, is_left_in_order) {
  line l;
  for (int i = 0; i < 10; ++i) l.add(one(i));
  l.erase_if([](const auto& x) { return *x % 3 == 0; });
  std::vector<int> seen;
  l.for_each([&](std::uint64_t, auto& x) { seen.push_back(*x); });
  EXPECT_EQ(seen, (std::vector{1, 2, 4, 5, 7, 8}));
  std::vector<int> taken;
  for (const auto& x : l.take_all()) taken.push_back(*x);
  EXPECT_EQ(taken, seen);
  EXPECT_TRUE(l.empty());
  EXPECT_EQ(l.length(), 0U);
}

TEST(numbered_queue, does_what_a_map_does) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 dice(seed);
    numbered_queue<int> l;
    std::map<std::uint64_t, int> map;
    for (int step = 0; step < 300; ++step) {
      switch (dice() % 8) {
        case 0:
        case 1:
        case 2:
          map.emplace(l.next(), step);
          l.add(step);
          break;
        case 3:
        case 4:
        case 5: {
          const auto number = l.next() - dice() % 12;
          const auto got = l.take(number);
          const auto node = map.extract(number);
          ASSERT_EQ(got.has_value(), !node.empty());
          if (got) {
            ASSERT_EQ(*got, node.mapped());
          }
          break;
        }
        case 6: {
          const auto at = static_cast<int>(dice() % 5);
          l.erase_if([&](int x) { return x % 5 == at; });
          std::erase_if(map, [&](const auto& x) { return x.second % 5 == at; });
          break;
        }
        default: {
          if (dice() % 10 != 0) break;
          std::vector<int> all;
          for (const auto& [number, x] : std::exchange(map, {})) all.push_back(x);
          ASSERT_EQ(l.take_all(), all);
        }
      }
      ASSERT_EQ(l.size(), map.size());
      ASSERT_GE(l.length(), l.size());
      auto next = map.begin();
      l.for_each([&](std::uint64_t number, int& x) {
        ASSERT_EQ(number, next->first);
        ASSERT_EQ(x, next->second);
        ++next;
      });
    }
  }
}

}  // namespace
}  // namespace gate::upstream
