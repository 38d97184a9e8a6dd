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
  constexpr int few = 1000;
  for (int i = 0; i < few; ++i)
    units->note("task-" + std::to_string(i), static_cast<std::uint8_t>(i % 256));
  for (int i = 0; i < few; ++i) EXPECT_EQ(units->find("task-" + std::to_string(i)), i % 256);
  for (int i = few; i < 10'000; ++i) EXPECT_FALSE(units->find("task-" + std::to_string(i)));
}

TEST(task_units, the_same_task_takes_one_place) {
  const auto units = std::make_unique<task_units>();
  units->note("first", 1);
  for (std::size_t i = 0; i < limits::task_units; ++i) units->note("again", 2);
  EXPECT_EQ(units->find("first"), 1);
}

TEST(task_units, forget_some_of_many) {
  const auto units = std::make_unique<task_units>();
  for (std::size_t i = 0; i < 4 * limits::task_units; ++i) units->note(std::to_string(i), 3);
  units->note("latest", 7);
  EXPECT_EQ(units->find("latest"), 7);
}

}  // namespace
}  // namespace gate
