#include "transport/http/burden.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

using std::chrono::seconds;
using names = std::vector<char>;

TEST(burden, is_bytes_and_time) {
  EXPECT_EQ((burden{0, seconds{30}}).weight(), 0);
  EXPECT_EQ((burden{100, seconds{0}}).weight(), 100);
  EXPECT_EQ((burden{100, seconds{9}}).weight(), 1000);
}

TEST(burden, those_who_cost_most_go_until_it_is_enough) {
  const std::vector<std::pair<burden, char>> all{
      {{100, seconds{0}}, 'a'}, {{10, seconds{30}}, 'b'}, {{300, seconds{1}}, 'c'}};
  EXPECT_EQ(heaviest(all, 0), names());
  EXPECT_EQ(heaviest(all, 300), names{'c'});
  EXPECT_EQ(heaviest(all, 301), (names{'c', 'b'}));
  EXPECT_EQ(heaviest(all, 311), (names{'c', 'b', 'a'}));
  EXPECT_EQ(heaviest(all, 9999), (names{'c', 'b', 'a'}));
}

}  // namespace
}  // namespace gate::http
