#include "transport/gzip.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/inflated.hpp"

namespace gate {
namespace {

using testing::inflated;

TEST(gzip, can_be_undone) {
  std::mt19937 dice(7);
  for (const std::size_t size : {0, 1, 7, 8, 9, 1000, 70'000, 500'000}) {
    std::string same(size, 'x'), random(size, ' ');
    for (auto& c : random) c = static_cast<char>(dice());
    EXPECT_EQ(inflated(gzip(same)), same);
    EXPECT_EQ(inflated(gzip(random)), random) << "what can not be made smaller";
  }
}

TEST(gzip, makes_it_smaller) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "mcp.method.name tools/call " + std::to_string(i);
  EXPECT_LT(gzip(text).size(), text.size() / 5);
}

}  // namespace
}  // namespace gate
