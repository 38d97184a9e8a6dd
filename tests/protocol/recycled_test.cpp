#include "protocol/recycled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace gate {
namespace {

struct large {
  static void* operator new(std::size_t) { return recycled<large>::take(); }
  static void operator delete(void* p) { recycled<large>::give(p); }
  std::array<char, 2000> bytes;
};

TEST(recycled, keeps_no_more_places_than_it_may) {
  std::vector<std::unique_ptr<large>> all;
  for (std::size_t i = 0; i < recycled<large>::kept + 10; ++i)
    all.push_back(std::make_unique<large>());
  EXPECT_EQ(recycled<large>::size(), 0U);
  all.clear();
  EXPECT_EQ(recycled<large>::size(), recycled<large>::kept);
}

TEST(recycled, gives_each_place_to_one) {
  for (int round = 0; round < 3; ++round) {
    auto a = std::make_unique<large>();
    auto b = std::make_unique<large>();
    a->bytes.fill('a');
    b->bytes.fill('b');
    EXPECT_EQ(a->bytes.back(), 'a');
  }
}

TEST(recycled, is_each_threads_own) {
  auto one = std::make_unique<large>();
  const auto before = recycled<large>::size();
  std::thread([&one] {
    EXPECT_EQ(recycled<large>::size(), 0U);
    one.reset();
    auto another = std::make_unique<large>();
  }).join();
  EXPECT_EQ(recycled<large>::size(), before);
}

TEST(recycled, is_also_for_who_makes_objects_by_an_allocator) {
  struct small {
    int x;
  };
  using recycler = recycling<small>;
  recycler a;
  auto* one = a.allocate(1);
  auto* many = a.allocate(5);
  a.deallocate(one, 1);
  EXPECT_EQ(recycled<small>::size(), std::min<std::size_t>(recycled<small>::kept, 1));
  a.deallocate(many, 5);
  EXPECT_EQ(recycled<small>::size(), std::min<std::size_t>(recycled<small>::kept, 1));

  std::unordered_map<int, int, std::hash<int>, std::equal_to<>,
                     recycling<std::pair<const int, int>>>
      map;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) map[i] = i + round;
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(map.at(i), i + round);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(map.extract(i).mapped(), i + round);
    EXPECT_TRUE(map.empty());
  }
  const auto shared = std::allocate_shared<std::string>(recycling<std::string>(), 100, 'x');
  EXPECT_EQ(shared->size(), 100U);
}

}  // namespace
}  // namespace gate
