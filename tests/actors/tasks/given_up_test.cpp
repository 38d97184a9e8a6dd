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
  EXPECT_FALSE(ids.anywhere("a", t));
  for (int i = 0; i < 1000; ++i) ids.add("u", "task-" + std::to_string(i), t);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(ids.anywhere("task-" + std::to_string(i), t)) << i;
  for (int i = 1000; i < 2000; ++i) EXPECT_FALSE(ids.anywhere("task-" + std::to_string(i), t)) << i;
}

/// Whenever it was added, and whatever came before and after it.
TEST(given_up, ids_are_kept_for_as_long_as_a_record_lives_and_not_much_longer) {
  for (const auto added : {t, t + limits::task_record / 2, t + limits::task_record - 1s}) {
    given_up ids;
    ids.add("u", "first", t);
    ids.add("u", "it", added);
    const auto end = added + limits::task_record;
    for (auto now = added; now < end; now += limits::task_record / 7) {
      EXPECT_TRUE(ids.anywhere("it", now));
      ids.add("u", "another", now);
    }
    EXPECT_TRUE(ids.anywhere("it", end - 1s));
    EXPECT_FALSE(ids.anywhere("it", end + limits::task_record));
  }
}

TEST(given_up, is_a_matter_of_the_upstream_as_well) {
  given_up ids;
  ids.add("u", "1", t);
  EXPECT_TRUE(ids.anywhere("1", t));
  EXPECT_TRUE(ids.at("u", "1", t));
  EXPECT_FALSE(ids.at("v", "1", t));
  EXPECT_FALSE(ids.at("u", "2", t));
  ids.add("v",
          std::string("u\0"
                      "2",
                      3),
          t);
  EXPECT_FALSE(ids.at("u", "2", t)) << "ids may have any characters";
}

TEST(given_up, more_than_can_be_told_apart_refuse_nothing_at_an_upstream) {
  given_up ids;
  for (std::size_t i = 0; i < limits::task_filter_tasks; ++i) ids.add("u", std::to_string(i), t);
  std::size_t mistakes = 0;
  for (int i = 0; i < 10'000; ++i) mistakes += ids.at("u", "fresh" + std::to_string(i), t);
  EXPECT_LE(mistakes, 10'000U / 80);
  EXPECT_TRUE(ids.at("u", "0", t));
  EXPECT_FALSE(ids.anywhere("unheard of", t));
  for (std::size_t i = 0; i < 20'000'000; ++i) ids.add("u", "x", t);
  EXPECT_FALSE(ids.at("u", "fresh", t));
  EXPECT_FALSE(ids.at("u", "0", t));
  EXPECT_TRUE(ids.anywhere("unheard of", t)) << "never opened by mistake";
  const auto later = t + limits::task_record;
  EXPECT_TRUE(ids.anywhere("unheard of", later + 1s)) << "as long as a record lives";
  EXPECT_FALSE(ids.anywhere("unheard of", later + limits::task_record));
}

TEST(given_up, ids_are_added_again_after_a_long_silence) {
  given_up ids;
  ids.add("u", "a", t);
  const auto later = t + 10 * limits::task_record;
  EXPECT_FALSE(ids.anywhere("a", later));
  ids.add("u", "b", later);
  EXPECT_TRUE(ids.anywhere("b", later + limits::task_record - 1s));
  EXPECT_FALSE(ids.anywhere("b", later + 2 * limits::task_record));
}

}  // namespace
}  // namespace gate::tasks
