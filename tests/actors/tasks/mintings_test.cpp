#include "actors/tasks/mintings.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

using namespace std::chrono_literals;
using names = std::vector<std::string>;

constexpr std::uint64_t alice = 0xa11ce, bob = 0xb0b;

struct calls_that_mint : ::testing::Test {
  mintings m;
  mintings::time_point t{1h};

  void note(std::uint64_t owner, minting what, const std::string& upstream = "a") {
    m.note(upstream, owner, what, t);
  }
};

TEST_F(calls_that_mint, are_others_as_long_as_they_run) {
  note(alice, minting::begun);
  note(alice, minting::begun);
  note(alice, minting::begun, "b");
  EXPECT_EQ(m.of_others(bob, t), (names{"a", "b"}));
  EXPECT_EQ(m.of_others(alice, t), names{});
  note(alice, minting::answered);
  note(alice, minting::answered, "b");
  EXPECT_EQ(m.of_others(bob, t), names{"a"}) << "one still runs";
  note(alice, minting::answered);
  EXPECT_EQ(m.of_others(bob, t), names{});
}

TEST_F(calls_that_mint, of_two_hide_from_both) {
  note(alice, minting::begun);
  note(bob, minting::begun);
  EXPECT_EQ(m.of_others(alice, t), names{"a"});
  EXPECT_EQ(m.of_others(bob, t), names{"a"});
  note(bob, minting::answered);
  EXPECT_EQ(m.of_others(alice, t), names{});
  EXPECT_EQ(m.of_others(bob, t), names{"a"});
}

TEST_F(calls_that_mint, are_remembered_for_a_while_if_they_are_lost) {
  note(alice, minting::begun);
  note(alice, minting::lost);
  t += limits::task_minting_lost - 1ms;
  EXPECT_EQ(m.of_others(bob, t), names{"a"});
  EXPECT_EQ(m.of_others(alice, t), names{});
  note(alice, minting::begun);
  note(alice, minting::answered);
  EXPECT_EQ(m.of_others(bob, t), names{"a"}) << "that is another one";
  t += 1ms;
  EXPECT_EQ(m.of_others(bob, t), names{});
}

TEST_F(calls_that_mint, hide_from_everybody_when_too_many_are_lost) {
  for (std::uint64_t owner = 1; owner <= limits::task_mintings_lost; ++owner) {
    note(owner, minting::begun);
    note(owner, minting::lost);
  }
  EXPECT_EQ(m.of_others(alice, t), names{"a"});
  t += limits::task_minting_lost / 2;
  note(alice, minting::begun);
  note(alice, minting::lost);
  t += limits::task_minting_lost / 2;
  EXPECT_EQ(m.of_others(alice, t), names{"a"}) << "whose it may be is not known any more";
  EXPECT_EQ(m.of_others(bob, t), names{"a"});
  t += limits::task_minting_lost / 2;
  EXPECT_EQ(m.of_others(alice, t), names{});
  EXPECT_EQ(m.of_others(bob, t), names{});
}

TEST_F(calls_that_mint, need_not_be_known_from_their_beginning) {
  note(alice, minting::answered);
  EXPECT_EQ(m.of_others(bob, t), names{});
  note(alice, minting::lost);
  EXPECT_EQ(m.of_others(bob, t), names{"a"});
}

}  // namespace
}  // namespace gate::tasks
