// On which unit a task was made.
#include "transport/task_units.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate {
namespace {

TEST(task_units, know_the_latest_unit_of_a_task) {
  const auto units = std::make_unique<task_units>();
  EXPECT_FALSE(units->find("t"));
  units->note("t", 0);
  EXPECT_EQ(units->find("t"), 0);
  units->note("t", 255);
  EXPECT_EQ(units->find("t"), 255);
  EXPECT_FALSE(units->find("u"));
  EXPECT_FALSE(units->find(""));
}

TEST(task_units, tell_tasks_apart) {
  const auto units = std::make_unique<task_units>();
  constexpr int few = 100;
  for (int i = 0; i < few; ++i)
    units->note("task-" + std::to_string(i), static_cast<std::uint8_t>(i));
  int known = 0;
  for (int i = 0; i < few; ++i) {
    const auto unit = units->find("task-" + std::to_string(i));
    known += unit.has_value();
    if (unit) EXPECT_EQ(*unit, i);
  }
  EXPECT_GE(known, few - 5) << "few of them share a slot";
  for (int i = few; i < 10'000; ++i) EXPECT_FALSE(units->find("task-" + std::to_string(i)));
}

TEST(task_units, forget_some_of_many) {
  const auto units = std::make_unique<task_units>();
  for (std::size_t i = 0; i < 4 * limits::task_units; ++i) units->note(std::to_string(i), 3);
  units->note("latest", 7);
  EXPECT_EQ(units->find("latest"), 7);
}

}  // namespace
}  // namespace gate
