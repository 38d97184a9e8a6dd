#include "shim/teardown.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::shim {
namespace {

using state = teardown::state;
using event = teardown::event;
using action = teardown::action;

constexpr action nothing{};
constexpr action close_and_wait{true, false, false, true};
constexpr action close_and_terminate{true, true, false, true};
constexpr action terminate{false, true, false, true};
constexpr action kill{false, false, true, false};

teardown in(state s) {
  teardown t;
  if (s == state::running) return t;
  t.on(event::begin);
  if (s >= state::terminating) t.on(event::times_up);
  if (s >= state::killing) t.on(event::times_up);
  if (s == state::gone) t.on(event::gone);
  EXPECT_EQ(t.now(), s);
  return t;
}

TEST(teardown, every_event_in_every_state) {
  struct row {
    state from;
    event e;
    state to;
    action does;
  };
  const std::vector<row> table{
      {state::running, event::begin, state::closing, close_and_wait},
      {state::running, event::exited, state::terminating, close_and_terminate},
      {state::running, event::times_up, state::running, nothing},
      {state::closing, event::begin, state::closing, nothing},
      {state::closing, event::exited, state::terminating, terminate},
      {state::closing, event::times_up, state::terminating, terminate},
      {state::terminating, event::begin, state::terminating, nothing},
      {state::terminating, event::exited, state::terminating, nothing},
      {state::terminating, event::times_up, state::killing, kill},
      {state::killing, event::begin, state::killing, nothing},
      {state::killing, event::exited, state::killing, nothing},
      {state::killing, event::times_up, state::killing, nothing},
      {state::gone, event::begin, state::gone, nothing},
      {state::gone, event::exited, state::gone, nothing},
      {state::gone, event::times_up, state::gone, nothing},
  };
  for (const auto& r : table) {
    auto t = in(r.from);
    EXPECT_EQ(t.on(r.e), r.does) << static_cast<int>(r.from) << ' ' << static_cast<int>(r.e);
    EXPECT_EQ(t.now(), r.to) << static_cast<int>(r.from) << ' ' << static_cast<int>(r.e);
  }
  for (auto s : {state::running, state::closing, state::terminating, state::killing, state::gone}) {
    auto t = in(s);
    EXPECT_EQ(t.on(event::gone), nothing);
    EXPECT_EQ(t.now(), state::gone);
  }
}

TEST(teardown, has_begun_unless_it_runs) {
  EXPECT_FALSE(in(state::running).begun());
  for (auto s : {state::closing, state::terminating, state::killing, state::gone})
    EXPECT_TRUE(in(s).begun());
}

}  // namespace
}  // namespace gate::shim
