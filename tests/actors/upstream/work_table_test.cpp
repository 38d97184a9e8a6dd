#include "actors/upstream/work_table.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
constexpr work_table::time_point first_look{12h};

job a_call(std::uint64_t number, work_table::time_point deadline = work_table::never) {
  auto w = std::make_unique<work>(task::call);
  w->call.call = number;
  w->time.deadline = deadline;
  return w;
}

pending& run(work_table& t, std::uint64_t call,
             work_table::time_point deadline = work_table::never) {
  auto& p = t.add(t.new_id(), purpose::work, 1);
  p.job = a_call(call, deadline);
  return p;
}

TEST(a_work_table, numbers_all_fetches_from_one) {
  work_table t;
  EXPECT_EQ(t.next_id(), 1u);
  EXPECT_EQ(t.new_id(), 1u);
  EXPECT_EQ(t.new_id(), 2u);
}

TEST(a_work_table, counts_what_carries_work_and_what_ends_sessions) {
  work_table t;
  run(t, 1);
  t.add(t.new_id(), purpose::discard, 1);
  t.add(t.new_id(), purpose::notice, 1);
  EXPECT_EQ(t.works(), 1u);
  EXPECT_EQ(t.discards(), 1u);
  EXPECT_FALSE(t.idle());
  EXPECT_FALSE(t.take(1).empty());
  EXPECT_TRUE(t.take(1).empty()) << "it is gone";
  t.take(2);
  t.take(3);
  EXPECT_EQ(t.works(), 0u);
  EXPECT_EQ(t.discards(), 0u);
  EXPECT_TRUE(t.idle());
}

TEST(a_work_table, finds_a_call_until_it_is_answered) {
  work_table t;
  auto& p = run(t, 7);
  EXPECT_TRUE(t.take_call(8).empty());
  p.job.reset();
  p.answered = true;
  EXPECT_TRUE(t.take_call(7).empty());
  EXPECT_EQ(t.works(), 1u) << "its stream is open";
  run(t, 9);
  EXPECT_EQ(t.take_call(9).key(), 2u);
}

TEST(a_work_table, finds_a_list_of_tasks_by_its_call) {
  work_table t;
  for (const auto kind : {mcp::list_kind::tools, mcp::list_kind::tasks}) {
    auto& p = t.add(t.new_id(), purpose::work, 1);
    p.job = std::make_unique<work>(task::list);
    p.job->list.kind = kind;
    p.job->list.fill = 7;
    auto waiting = std::make_unique<work>(task::list);
    waiting->list = p.job->list;
    t.wait(std::move(waiting));
  }
  EXPECT_EQ(t.take_call(7).key(), 2u);
  EXPECT_TRUE(t.take_call(7).empty()) << "lists of tools are nobody's alone";
  t.drop_waiting(7);
  ASSERT_EQ(t.waiting().size(), 1u);
  EXPECT_EQ(t.waiting()[0]->list.kind, mcp::list_kind::tools);
}

TEST(a_work_table, has_again_what_was_put_back) {
  work_table t;
  run(t, 1);
  auto taken = t.take(1);
  EXPECT_TRUE(t.idle());
  t.put_back(std::move(taken));
  EXPECT_EQ(t.works(), 1u);
  EXPECT_EQ(t.find(1)->call()->call, 1u);
}

TEST(a_work_table, takes_out_all_work_and_nothing_else) {
  work_table t;
  run(t, 1);
  run(t, 2);
  t.add(t.new_id(), purpose::stream, 1);
  EXPECT_EQ(t.take_works().size(), 2u);
  EXPECT_EQ(t.works(), 0u);
  EXPECT_TRUE(t.find(3));
}

TEST(a_work_table, is_not_idle_while_something_waits) {
  work_table t;
  t.wait(a_call(1));
  EXPECT_FALSE(t.idle());
  t.charging().add(a_call(2));
  EXPECT_EQ(t.queued(), 2u);
  t.drop_waiting(1);
  EXPECT_FALSE(t.idle());
  t.drop_waiting(2);
  EXPECT_TRUE(t.idle());
}

// --- time ----------------------------------------------------------------------------------------

TEST(a_work_table, says_what_is_late_what_goes_on_and_what_is_silent) {
  work_table t;
  run(t, 1, first_look);                              // 1: late
  run(t, 2, first_look + 9s).resume_at = first_look;  // 2: its pause is over
  run(t, 3, first_look + 8s).silent_at = first_look;  // 3: silent
  t.add(t.new_id(), purpose::stream, 1);              // 4: has no deadline
  auto& notice = t.add(t.new_id(), purpose::notice, 1);
  notice.until = first_look + 5s;
  const auto due = t.look(first_look);
  EXPECT_EQ(due.late, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(due.resumable, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(due.silent, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(due.next, first_look + 5s);
}

TEST(a_work_table, has_nothing_to_look_at_if_it_is_empty) {
  work_table t;
  EXPECT_EQ(t.look(first_look).next, work_table::never);
  EXPECT_FALSE(t.end_pauses(first_look));
}

TEST(a_work_table, ends_pauses) {
  work_table t;
  run(t, 1, first_look + 9s).resume_at = first_look + 5s;
  EXPECT_TRUE(t.end_pauses(first_look));
  EXPECT_EQ(t.look(first_look).resumable.size(), 1u);
}

TEST(a_work_table, takes_out_what_waited_too_long) {
  work_table t;
  t.wait(a_call(1, first_look));
  t.wait(a_call(2, first_look + 4s));
  t.charging().add(a_call(3, first_look + 3s));
  t.charging().add(a_call(4, first_look));
  auto next = work_table::never;
  const auto waited = t.take_late_waiting(first_look, next);
  EXPECT_EQ(next, first_look + 4s);
  const auto charged = t.take_late_charging(first_look, next);
  EXPECT_EQ(next, first_look + 3s);
  ASSERT_EQ(waited.size(), 1u);
  EXPECT_EQ(waited[0]->call.call, 1u);
  ASSERT_EQ(charged.size(), 1u);
  EXPECT_EQ(charged[0]->call.call, 4u);
  EXPECT_EQ(t.waiting().size(), 1u);
}

// --- questions -----------------------------------------------------------------------------------

TEST(a_work_table, knows_whose_question_is_over_however_its_id_is_written) {
  work_table t;
  run(t, 1).questions = {R"("a")", "2"};
  EXPECT_EQ(t.end_question("3"), nullptr);
  auto* p = t.end_question(R"("\u0061")");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->questions, (std::vector<std::string>{"2"}));
  EXPECT_EQ(t.end_question(R"("a")"), nullptr) << "once";
}

}  // namespace
}  // namespace gate::upstream
