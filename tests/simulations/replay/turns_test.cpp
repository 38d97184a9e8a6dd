#include "simulations/replay/turns.hpp"

#include <gtest/gtest.h>

#include "tests/simulations/support/events.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

event of(kind what, std::uint64_t at, std::uint64_t unit = 0) {
  return sim::testing::event_at(what, at, 0, unit);
}

std::size_t first_turn(event_list events) {
  return end_of_turn(order({}, std::move(events), {}), 0);
}

TEST(replay_turns, what_a_unit_is_told_before_it_says_anything_is_one_turn) {
  EXPECT_EQ(first_turn({of(kind::gone, 1), of(kind::request, 2), of(kind::fetched, 9),
                        of(kind::fetch, 10), of(kind::fetched, 11)}),
            3U);
  EXPECT_EQ(first_turn({of(kind::request, 1), of(kind::request, 240), of(kind::fetch, 250)}), 2U);
  EXPECT_EQ(first_turn({of(kind::request, 1)}), 1U);
}

TEST(replay_turns, other_units_and_later_times_are_other_turns) {
  EXPECT_EQ(first_turn({of(kind::gone, 1), of(kind::fetched, 2, 1)}), 1U);
  EXPECT_EQ(first_turn({of(kind::gone, 1), of(kind::fetched, 1000)}), 1U);
  EXPECT_EQ(first_turn({of(kind::answer, 1), of(kind::request, 2)}), 1U);
  EXPECT_EQ(first_turn({of(kind::body, 1), of(kind::request, 2)}), 1U);
}

TEST(replay_turns, end_where_they_are_to_be_broken) {
  const auto tape = order({}, {of(kind::gone, 1), of(kind::request, 2), of(kind::fetched, 9)}, {});
  EXPECT_EQ(end_of_turn(tape, 0), 3U);
  EXPECT_EQ(end_of_turn(tape, 0, {{1}, {}}), 1U);
  EXPECT_EQ(end_of_turn(tape, 1, {{1}, {}}), 3U);
  EXPECT_EQ(end_of_turn(tape, 0, {{0, 2}, {}}), 2U);
  const auto slow =
      order({}, {of(kind::gone, 1), of(kind::fetched, 281), of(kind::gone, 1002)}, {});
  EXPECT_EQ(end_of_turn(slow, 0), 1U);
  EXPECT_EQ(end_of_turn(slow, 0, {{}, {0}}), 2U);
}

}  // namespace
}  // namespace gate::replay
