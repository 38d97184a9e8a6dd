#include "protocol/recycled.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
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

}  // namespace
}  // namespace gate
