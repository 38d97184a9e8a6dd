#include "transport/scheduler/turn_size.hpp"

#include <gtest/gtest.h>

namespace gate::scheduler {
namespace {

/// A turn with so many handlers; true: each was taken for a turn of its own.
bool turn(turn_size& size, int handlers) {
  bool one = true;
  for (int i = 0; i < handlers; ++i) {
    size.handler();
    one = size.is_one() && one;
  }
  if (!one) size.ended();
  return one;
}

TEST(turn_size, is_not_one_before_that_was_seen_some_times) {
  turn_size size;
  for (int i = 0; i < turn_size::believed; ++i) EXPECT_FALSE(turn(size, 1));
  EXPECT_TRUE(turn(size, 1));
}

TEST(turn_size, is_not_learned_from_turns_without_handlers) {
  turn_size size;
  for (int i = 0; i < 10 * turn_size::believed; ++i) size.ended();
  EXPECT_FALSE(turn(size, 1));
}

TEST(turn_size, is_counted_now_and_then) {
  turn_size size;
  for (int i = 0; i < turn_size::believed; ++i) turn(size, 1);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < turn_size::guessed; ++i) EXPECT_TRUE(turn(size, 1));
    for (int i = 0; i < turn_size::counted; ++i) EXPECT_FALSE(turn(size, 1));
  }
}

TEST(turn_size, of_several_is_seen_within_as_many_handlers_as_are_guessed) {
  // Wherever in a turn the guessing ends.
  for (int handlers : {2, 3, 8, 31, 32, 33}) {
    turn_size size;
    for (int i = 0; i < turn_size::believed; ++i) turn(size, 1);
    int guessed = 0;
    while (turn(size, handlers)) guessed += handlers;
    EXPECT_LE(guessed, turn_size::guessed);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(turn(size, handlers)) << handlers;
    for (int i = 0; i < turn_size::believed; ++i) EXPECT_FALSE(turn(size, 1));
    EXPECT_TRUE(turn(size, 1));
  }
}

}  // namespace
}  // namespace gate::scheduler
