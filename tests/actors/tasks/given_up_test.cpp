#include "actors/tasks/given_up.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

using namespace std::chrono_literals;

constexpr time_point t{1000h};

TEST(given_up, ids_are_found_and_others_are_not) {
  given_up ids;
  EXPECT_FALSE(ids.has("a", t));
  for (int i = 0; i < 1000; ++i) ids.add("task-" + std::to_string(i), t);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(ids.has("task-" + std::to_string(i), t)) << i;
  for (int i = 1000; i < 2000; ++i) EXPECT_FALSE(ids.has("task-" + std::to_string(i), t)) << i;
}

/// Whenever it was added, and whatever came before and after it.
TEST(given_up, ids_are_kept_for_as_long_as_a_record_lives_and_not_much_longer) {
  for (const auto added : {t, t + limits::task_record / 2, t + limits::task_record - 1s}) {
    given_up ids;
    ids.add("first", t);
    ids.add("it", added);
    const auto end = added + limits::task_record;
    for (auto now = added; now < end; now += limits::task_record / 7) {
      EXPECT_TRUE(ids.has("it", now));
      ids.add("another", now);
    }
    EXPECT_TRUE(ids.has("it", end - 1s));
    EXPECT_FALSE(ids.has("it", end + limits::task_record));
  }
}

TEST(given_up, ids_are_added_again_after_a_long_silence) {
  given_up ids;
  ids.add("a", t);
  const auto later = t + 10 * limits::task_record;
  EXPECT_FALSE(ids.has("a", later));
  ids.add("b", later);
  EXPECT_TRUE(ids.has("b", later + limits::task_record - 1s));
  EXPECT_FALSE(ids.has("b", later + 2 * limits::task_record));
}

}  // namespace
}  // namespace gate::tasks
