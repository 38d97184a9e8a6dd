#include "actors/upstream/room_search.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

/// Begun, with so many attempts left, and one chosen of which this has become.
room_search after(unsigned left, fate is) {
  room_search x;
  x.choose(std::make_shared<const fate>(is));
  for (auto n = limits::busy_attempts; n > left; --n) x.pause();
  return x;
}

TEST(a_search_for_room, chooses_one_that_is_to_go) {
  room_search x;
  EXPECT_FALSE(x.begun());
  EXPECT_TRUE(x.chooses());
  const auto told = std::make_shared<fate>(fate::leaving);
  x.choose(told);
  EXPECT_FALSE(x.chooses());
  EXPECT_EQ(x.pause(), limits::busy_pause);
  EXPECT_TRUE(x.begun());
  *told = fate::stays;
  EXPECT_TRUE(x.chooses()) << "another one";
  x.choose(nullptr);
  EXPECT_TRUE(x.chooses()) << "none could go then";
}

TEST(a_search_for_room, chooses_another_one_by_what_becomes_of_the_first) {
  for (unsigned left = limits::busy_attempts; left > 0; --left) {
    EXPECT_TRUE(after(left, fate::stays).chooses());
    EXPECT_FALSE(after(left, fate::leaving).chooses());
    EXPECT_EQ(after(left, fate::gone).chooses(), left == 1) << left;
  }
}

TEST(a_search_for_room, ends) {
  room_search x;
  std::chrono::milliseconds all{0};
  for (auto n = limits::busy_attempts; n > 0; --n) {
    EXPECT_FALSE(x.over());
    all += x.pause();
  }
  EXPECT_TRUE(x.over());
  EXPECT_EQ(all, limits::busy_pause * ((1U << limits::busy_attempts) - 1));
}

TEST(a_search_for_room, is_told_by_whom_it_has_chosen_even_after_its_end) {
  room_search x;
  auto told = std::make_shared<fate>(fate::leaving);
  x.choose(told);
  *std::exchange(told, nullptr) = fate::stays;
  auto anothers = std::make_shared<fate>(fate::leaving);
  EXPECT_TRUE(x.chooses()) << "what it does for another one's sake is nothing to this";
}

}  // namespace
}  // namespace gate::upstream
