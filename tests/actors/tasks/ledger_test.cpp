#include "actors/tasks/ledger.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::tasks {
namespace {

using namespace std::chrono_literals;

constexpr time_point start{std::chrono::hours(1000)};

verdict of(ledger& l, std::string_view id, std::uint64_t owner, time_point now = start) {
  return l.find(id, owner, now).verdict;
}

using pinned = ledger::pinned;

TEST(ledger, tells_whose_a_task_is) {
  ledger l;
  EXPECT_EQ(of(l, "t", 1), verdict::unknown);
  EXPECT_EQ(l.pin("t", 1, {"a", 0, 7}, start), pinned::yes);
  EXPECT_EQ(l.find("t", 1, start).place, (place{"a", 0, 7}));
  EXPECT_EQ(of(l, "t", 2), verdict::foreign);
  EXPECT_EQ(l.find("t", 2, start).place, place{}) << "nothing about it is told";
  EXPECT_EQ(of(l, "T", 1), verdict::unknown);
}

TEST(ledger, an_id_chosen_twice_is_each_owners_own) {
  ledger l;
  EXPECT_EQ(l.pin("t", 1, {"a", 0, 7}, start), pinned::yes);
  EXPECT_EQ(l.pin("t", 2, {"b", 0, 8}, start), pinned::yes);
  EXPECT_EQ(l.find("t", 1, start).place.upstream, "a");
  EXPECT_EQ(l.find("t", 2, start).place.upstream, "b");
  EXPECT_EQ(of(l, "t", 3), verdict::foreign);
  EXPECT_EQ(l.pin("t", 1, {"c", 0, 9}, start), pinned::yes);
  EXPECT_EQ(l.find("t", 1, start).place.upstream, "c") << "the latest counts";
  EXPECT_EQ(l.size(), 2U);
}

TEST(ledger, the_first_minter_keeps_it) {
  for (std::uint64_t first : {0, 1})
    for (std::uint64_t second : {0, 2}) {
      if (first == second) continue;
      ledger l;
      EXPECT_EQ(l.pin("t", first, {"a", 0, 7}, start), pinned::yes);
      EXPECT_EQ(l.pin("t", second, {"a", 0, 8}, start), pinned::claimed);
      EXPECT_EQ(l.find("t", first, start).place, (place{"a", 0, 7}));
      EXPECT_EQ(of(l, "t", second), verdict::foreign);
      EXPECT_EQ(l.pin("t", first, {"a", 0, 9}, start), pinned::yes);
      EXPECT_EQ(l.find("t", first, start).place.client, 9U) << "its own new place";
      EXPECT_EQ(l.size(), 1U);
    }
}

TEST(ledger, is_corrected_by_who_was_told_first) {
  ledger l;
  l.pin("t", 2, {"a", 0, 8}, start);
  l.correct("t", 1, {"a", elsewhere, 0}, start);
  EXPECT_EQ(of(l, "t", 2), verdict::foreign);
  EXPECT_EQ(l.find("t", 1, start).place, (place{"a", elsewhere, 0}));
  EXPECT_EQ(l.size(), 1U);
  l.correct("t", 2, {"b", elsewhere, 0}, start);
  EXPECT_EQ(of(l, "t", 1), verdict::own) << "another upstream's is another task";
  EXPECT_EQ(of(l, "t", 2), verdict::own);
  l.correct("t", 2, {"a", elsewhere, 0}, start);
  EXPECT_EQ(l.find("t", 2, start).place.upstream, "b") << "what one has stays as it is";
}

TEST(ledger, a_claim_to_what_moved_to_anothers_upstream_changes_nothing) {
  ledger l;
  l.pin("t", 1, {"a", 0, 7}, start);
  l.pin("t", 2, {"b", 0, 8}, start);
  EXPECT_EQ(l.pin("t", 2, {"a", 0, 8}, start), pinned::claimed);
  EXPECT_EQ(l.find("t", 2, start).place.upstream, "b");
}

TEST(ledger, forgets_when_the_owner_has_not_asked_for_long) {
  const auto life = std::chrono::milliseconds(limits::task_record);
  ledger l;
  l.pin("t", 1, {"a", 0, 7}, start);
  EXPECT_EQ(of(l, "t", 2, start + life - 1ms), verdict::foreign) << "that was not the owner";
  EXPECT_EQ(of(l, "t", 1, start + life - 1ms), verdict::own);
  EXPECT_EQ(of(l, "t", 1, start + 2 * life - 2ms), verdict::own) << "it has asked meanwhile";
  EXPECT_EQ(of(l, "t", 1, start + 3 * life), verdict::unknown);
  EXPECT_EQ(of(l, "t", 2, start + 3 * life + 1h), verdict::unknown);
  EXPECT_EQ(l.size(), 0U);
  EXPECT_EQ(l.pin("t", 2, {"a", 0, 8}, start + 3 * life + 1h), pinned::yes);
}

TEST(ledger, of_an_owner_that_has_too_many_the_longest_unused_is_nobodys) {
  ledger l;
  l.pin("other", 2, {"a", 0, 7}, start);
  for (std::size_t i = 0; i < limits::task_records_each; ++i)
    ASSERT_EQ(l.pin(std::to_string(i), 1, {"a", 0, 7}, start), pinned::yes);
  EXPECT_EQ(of(l, "0", 1), verdict::own) << "this makes it used";
  EXPECT_EQ(l.pin("more", 1, {"a", 0, 7}, start), pinned::yes);
  EXPECT_EQ(l.size(), limits::task_records_each + 1);
  for (std::uint64_t who : {0, 1, 2, 3}) EXPECT_EQ(of(l, "1", who), verdict::foreign) << who;
  EXPECT_EQ(l.pin("1", 3, {"a", 0, 7}, start), pinned::claimed);
  EXPECT_EQ(of(l, "1", 3), verdict::foreign);
  EXPECT_EQ(of(l, "0", 1), verdict::own);
  EXPECT_EQ(of(l, "2", 1), verdict::own);
  EXPECT_EQ(of(l, "other", 2), verdict::own);
  EXPECT_EQ(of(l, "never", 3), verdict::unknown);
  const auto life = std::chrono::milliseconds(limits::task_record);
  EXPECT_EQ(of(l, "1", 3, start + life), verdict::foreign);
  EXPECT_EQ(of(l, "1", 3, start + 3 * life), verdict::unknown);
}

TEST(ledger, what_was_given_up_at_one_upstream_is_not_so_at_another) {
  ledger l;
  for (std::size_t i = 0; i <= limits::task_records_each; ++i)
    ASSERT_EQ(l.pin(std::to_string(i), 1, {"u", 0, 7}, start), pinned::yes);
  EXPECT_EQ(of(l, "0", 2), verdict::foreign);
  EXPECT_EQ(l.pin("0", 2, {"u", 0, 8}, start), pinned::claimed);
  EXPECT_EQ(l.pin("0", 2, {"v", 0, 8}, start), pinned::yes);
  EXPECT_EQ(l.find("0", 2, start).place.upstream, "v");
  EXPECT_EQ(of(l, "0", 1), verdict::foreign);
}

TEST(ledger, takes_new_tasks_however_many_were_given_up) {
  given_up many;
  for (std::size_t i = 0; i <= limits::task_filter_tasks; ++i)
    many.add("u", std::to_string(i), start);
  ledger l(std::move(many));
  EXPECT_EQ(l.pin("fresh", 1, {"u", 0, 7}, start), pinned::yes);
  EXPECT_EQ(of(l, "fresh", 1), verdict::own);
  EXPECT_EQ(of(l, "unheard of", 1), verdict::foreign) << "it could be one of them";
}

TEST(ledger, what_it_does_not_take_is_nobodys) {
  given_up many;
  for (std::size_t i = 0; i < limits::task_filter_tasks; ++i)
    many.add("u", std::to_string(i), start);
  ledger l(std::move(many));
  for (int i = 0; i < 2000; ++i) {
    const auto id = "new " + std::to_string(i);
    if (l.pin(id, 1, {"u", 0, 7}, start) == pinned::claimed) {
      ASSERT_EQ(of(l, id, 2), verdict::foreign) << id;
    }
  }
}

TEST(ledger, is_bounded_and_whoever_has_most_makes_room) {
  ledger l;
  const auto owners = limits::task_records / limits::task_records_each;
  const auto last = owners - 1;
  for (std::size_t i = 0; i + 1 < limits::task_records; ++i)
    l.pin(std::to_string(i), std::min(i / limits::task_records_each, last), {"a", 0, 7}, start);
  l.pin("small", 100, {"a", 0, 7}, start);
  EXPECT_EQ(l.size(), limits::task_records);
  EXPECT_EQ(l.pin("t", 101, {"a", 0, 7}, start), pinned::yes);
  EXPECT_EQ(l.size(), limits::task_records);
  EXPECT_EQ(of(l, "t", 101), verdict::own);
  EXPECT_EQ(of(l, "small", 100), verdict::own);
  const auto most = std::to_string((last - 1) * limits::task_records_each);
  EXPECT_EQ(of(l, most, last - 1), verdict::foreign);
}

}  // namespace
}  // namespace gate::tasks
