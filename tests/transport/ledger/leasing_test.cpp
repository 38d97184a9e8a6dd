// Deliveries that are due: taken with a lease, noted by whoever has it, released when it is over.
#include <gtest/gtest.h>

#include <set>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_storage.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::state;

struct leasing : testing::any_ledger {
  leasing() { make_webhook("hook_1"); }
  std::vector<std::string> ids(const taken& t) {
    std::vector<std::string> out;
    for (const auto& one : t.deliveries) out.push_back(one.delivery.id);
    return out;
  }
  using names = std::vector<std::string>;
};

TEST_F(leasing, the_earliest_are_taken_and_nobody_else_gets_them) {
  accept("evt_1", 30);
  accept("evt_2", 10);
  accept("evt_3", 20);
  accept("evt_4", 99);
  const auto first = take("hook_1", 50, "A", 2);
  EXPECT_EQ(ids(first), (names{"dlv_2", "dlv_3"}));
  EXPECT_EQ(first.next, at(30));
  EXPECT_EQ(first.webhook.url, "https://receiver.example/hook_1");
  EXPECT_EQ(first.deliveries[0].event.body, event("evt_2").body);
  EXPECT_EQ(first.deliveries[0].delivery.status, state::delivering);
  const auto second = take("hook_1", 50, "B");
  EXPECT_EQ(ids(second), names{"dlv_1"});
  EXPECT_EQ(second.next, at(99));
  EXPECT_TRUE(take("hook_1", 50, "C").deliveries.empty());
  EXPECT_EQ(delivery("dlv_2").status, state::delivering);
  EXPECT_FALSE(delivery("dlv_2").next_attempt);
}

TEST_F(leasing, a_lease_has_a_token_and_an_end) {
  EXPECT_EQ(refused(take_due{"hook_1", 1, at(1), "", at(9)}), reason::invalid);
  EXPECT_EQ(refused(take_due{"hook_1", 1, at(1), "L", at(1)}), reason::invalid);
  EXPECT_EQ(refused(take_due{"hook_1", 1, at(1), "L",
                             at(1) + limits::ledger_lease + std::chrono::milliseconds(1)}),
            reason::invalid);
  EXPECT_EQ(refused(take_due{"hook_none", 1, at(1), "L", at(9)}), reason::not_found);
}

TEST_F(leasing, of_a_disabled_webhook_nothing_is_taken_until_it_is_enabled) {
  accept("evt_1");
  get<done>(disable_webhook{"hook_1", webhook::disabled::gone, at(2)});
  EXPECT_TRUE(take("hook_1", 5).deliveries.empty());
  EXPECT_EQ(take("hook_1", 5).webhook.why_not, webhook::disabled::gone);
  EXPECT_TRUE(get<due_page>(list_due{{}, 10}).webhooks.empty());
  get<webhook::webhook>(patch_webhook{"acme", "hook_1", at(6), {}, {}, {}, true});
  EXPECT_EQ(take("hook_1", 7).deliveries.size(), 1U);
}

TEST_F(leasing, success_ends_it) {
  accept("evt_1");
  take("hook_1", 1);
  EXPECT_FALSE(std::get<noted>(note("dlv_1", state::succeeded, 3)).failing_since);
  const auto d = delivery("dlv_1");
  EXPECT_EQ(d.status, state::succeeded);
  EXPECT_EQ(d.attempts, 1U);
  EXPECT_EQ(d.code, 200);
  EXPECT_EQ(d.answer, "said");
  EXPECT_EQ(d.finished, at(3));
  EXPECT_FALSE(d.next_attempt);
  EXPECT_FALSE(d.first_failed);
  ASSERT_EQ(d.log.size(), 1U);
  EXPECT_EQ(d.log[0].at, at(3));
  EXPECT_EQ(d.log[0].took, std::chrono::milliseconds(12));
  EXPECT_EQ(d.log[0].code, 200);
  const auto w = get<webhook::webhook>(read_webhook{"acme", "hook_1"});
  EXPECT_EQ(w.succeeded, 1U);
  EXPECT_EQ(w.failed, 0U);
  EXPECT_EQ(w.last_status, 200);
  EXPECT_EQ(w.last_at, at(3));
  EXPECT_TRUE(take("hook_1", 99).deliveries.empty());
}

TEST_F(leasing, failures_lead_to_the_next_time_and_to_the_dead_letters) {
  accept("evt_1");
  take("hook_1", 1, "A");
  EXPECT_EQ(std::get<noted>(note("dlv_1", state::failed, 2, "A")).failing_since, at(2));
  EXPECT_EQ(delivery("dlv_1").status, state::failed);
  EXPECT_EQ(delivery("dlv_1").next_attempt, at(7));
  EXPECT_TRUE(take("hook_1", 6, "B").deliveries.empty());
  EXPECT_EQ(take("hook_1", 7, "C").deliveries.at(0).delivery.attempts, 1U);
  EXPECT_EQ(std::get<noted>(note("dlv_1", state::dead, 8, "C")).failing_since, at(2));
  const auto d = delivery("dlv_1");
  EXPECT_EQ(d.status, state::dead);
  EXPECT_EQ(d.attempts, 2U);
  EXPECT_EQ(d.first_failed, at(2));
  EXPECT_EQ(d.last_failed, at(8));
  EXPECT_EQ(d.finished, at(8));
  EXPECT_EQ(d.error, "the receiver answered 500");
  EXPECT_EQ(d.log.size(), 2U);
  const auto w = get<webhook::webhook>(read_webhook{"acme", "hook_1"});
  EXPECT_EQ(w.failed, 1U);
  EXPECT_EQ(w.last_status, 500);
  EXPECT_EQ(w.failing_since, at(2));
}

TEST_F(leasing, a_success_ends_what_a_webhook_has_failed) {
  accept({event("evt_1"), event("evt_2")});
  take("hook_1", 1);
  note("dlv_1", state::failed, 2);
  EXPECT_FALSE(std::get<noted>(note("dlv_2", state::succeeded, 3)).failing_since);
}

TEST_F(leasing, without_an_answer_the_last_status_stays) {
  accept({event("evt_1"), event("evt_2")});
  take("hook_1", 1);
  note("dlv_1", state::failed, 2);
  note_attempt n{
      "dlv_2",       "L",   {at(3), std::chrono::seconds(15), 0, "no answer within 15 s"},
      state::failed, at(9), "",
      at(3)};
  get<noted>(n);
  EXPECT_EQ(get<webhook::webhook>(read_webhook{"acme", "hook_1"}).last_status, 500);
  EXPECT_EQ(delivery("dlv_2").code, 0);
}

TEST_F(leasing, who_has_lost_the_lease_changes_nothing) {
  accept("evt_1");
  take("hook_1", 1, "A");
  EXPECT_EQ(get<released>(release_leases{at(31), false}).deliveries, 1U);
  take("hook_1", 32, "B");
  const auto said = std::get<refusal>(note("dlv_1", state::dead, 33, "A"));
  EXPECT_EQ(said.why, reason::lease_lost);
  EXPECT_EQ(delivery("dlv_1").status, state::delivering);
  EXPECT_EQ(delivery("dlv_1").attempts, 0U);
  std::get<noted>(note("dlv_1", state::succeeded, 34, "B"));
  EXPECT_EQ(std::get<refusal>(note("dlv_1", state::succeeded, 35, "B")).why, reason::lease_lost);
  EXPECT_EQ(std::get<refusal>(note("dlv_none", state::succeeded, 35, "B")).why, reason::lease_lost);
  EXPECT_EQ(get<webhook::webhook>(read_webhook{"acme", "hook_1"}).succeeded, 1U);
}

TEST_F(leasing, an_attempt_that_makes_no_sense_is_refused) {
  accept("evt_1");
  take("hook_1", 1);
  EXPECT_EQ(std::get<refusal>(note("dlv_1", state::pending, 2)).why, reason::invalid);
  note_attempt n{"dlv_1", "L", {}, state::failed, {}, "", at(2)};
  EXPECT_EQ(refused(n), reason::invalid);
}

TEST_F(leasing, leases_that_ran_out_are_due_at_once) {
  accept({event("evt_1"), event("evt_2")});
  take("hook_1", 1, "A", 1);
  note("dlv_1", state::failed, 2, "A");
  take("hook_1", 10, "B");
  EXPECT_EQ(get<released>(release_leases{at(39), false}).deliveries, 0U);
  const auto out = get<released>(release_leases{at(40), false});
  EXPECT_EQ(out.deliveries, 2U);
  EXPECT_EQ(out.webhooks, names{"hook_1"});
  EXPECT_FALSE(out.more);
  // As they were: one had failed before, the other was never tried.
  EXPECT_EQ(delivery("dlv_1").status, state::failed);
  EXPECT_EQ(delivery("dlv_2").status, state::pending);
  EXPECT_EQ(delivery("dlv_2").next_attempt, at(40));
  EXPECT_EQ(take("hook_1", 40, "C").deliveries.size(), 2U);
}

TEST_F(leasing, of_a_life_that_ended_all_are_due_at_once) {
  accept({event("evt_1"), event("evt_2")});
  take("hook_1", 1);
  reopen();
  EXPECT_EQ(release_all(2).deliveries, 2U);
  EXPECT_EQ(take("hook_1", 99, "B").deliveries.size(), 2U);
}

TEST_F(leasing, many_are_released_in_steps) {
  std::vector<new_event> many;
  for (std::size_t i = 0; i < limits::ledger_events; ++i)
    many.push_back(event("evt_" + std::to_string(i)));
  accept(many);
  accept("evt_more");
  while (!take("hook_1", 1).deliveries.empty()) {
  }
  const auto first = release_all(2);
  EXPECT_EQ(first.deliveries, limits::ledger_step);
  EXPECT_TRUE(first.more);
  const auto second = release_all(2);
  EXPECT_EQ(second.deliveries, 1U);
  EXPECT_FALSE(second.more);
}

TEST_F(leasing, what_is_given_back_is_due_at_once_and_no_other) {
  accept({event("evt_1"), event("evt_2"), event("evt_3")});
  take("hook_1", 1, "A", 2);
  take("hook_1", 1, "B");
  note("dlv_1", state::succeeded, 2, "A");
  const auto out = get<released>(give_back{"A", at(3)});
  EXPECT_EQ(out.deliveries, 1U);
  EXPECT_EQ(out.webhooks, names{"hook_1"});
  EXPECT_EQ(delivery("dlv_2").status, state::pending);
  EXPECT_EQ(delivery("dlv_3").status, state::delivering);
  EXPECT_EQ(std::get<refusal>(note("dlv_2", state::succeeded, 4, "A")).why, reason::lease_lost);
}

TEST_F(leasing, a_clock_that_is_set_back_loses_nothing) {
  const std::int64_t hour = 3600;
  accept({event("evt_1"), event("evt_2")}, hour);
  take("hook_1", hour, "A", 1);
  // An hour back: that lease seems to end in an hour, which none does.
  EXPECT_EQ(get<released>(release_leases{at(0), false}).deliveries, 1U);
  EXPECT_EQ(ids(take("hook_1", 0, "B")), names{"dlv_1"});
  note("dlv_1", state::succeeded, 1, "B");
  // What waited keeps its time, and comes before what is accepted now when that has come.
  accept("evt_3", 5);
  EXPECT_EQ(ids(take("hook_1", 5, "C")), names{"dlv_3"});
  EXPECT_EQ(ids(take("hook_1", hour, "D")), names{"dlv_2"});
  // Lists are in the order in which things came, whatever the clock said.
  const auto page = get<delivery_page>(list_deliveries{"acme", "hook_1", {}, {}, 10});
  ASSERT_EQ(page.deliveries.size(), 3U);
  EXPECT_EQ(page.deliveries[0].id, "dlv_3");
  EXPECT_EQ(page.deliveries[2].id, "dlv_1");
}

TEST_F(leasing, whoever_dispatches_is_told_what_is_due_where) {
  make_webhook("hook_2", "other");
  make_webhook("hook_3");
  make_webhook("hook_4");
  accept("evt_1", 20);
  accept("evt_2", 10);
  accept({event("evt_1")}, 5, "other");
  get<done>(disable_webhook{"hook_4", webhook::disabled::gone, at(1)});
  auto p = get<due_page>(list_due{{}, 2});
  ASSERT_EQ(p.webhooks.size(), 2U);
  EXPECT_EQ(p.webhooks[0].webhook, "hook_1");
  EXPECT_EQ(p.webhooks[0].organization, "acme");
  EXPECT_EQ(p.webhooks[0].due, at(10));
  EXPECT_EQ(p.webhooks[1].webhook, "hook_2");
  EXPECT_EQ(p.webhooks[1].due, at(5));
  ASSERT_TRUE(p.next);
  p = get<due_page>(list_due{p.next, 2});
  ASSERT_EQ(p.webhooks.size(), 1U);
  EXPECT_EQ(p.webhooks[0].webhook, "hook_3");
  EXPECT_FALSE(p.next);
}

TEST_F(leasing, the_latest_attempts_are_remembered) {
  accept("evt_1");
  const auto kept = limits::ledger_attempts;
  for (std::size_t i = 1; i <= kept + 3; ++i) {
    const auto now = static_cast<std::int64_t>(i * 10);
    take("hook_1", now);
    std::get<noted>(note("dlv_1", state::failed, now));
  }
  const auto d = delivery("dlv_1");
  EXPECT_EQ(d.attempts, kept + 3);
  ASSERT_EQ(d.log.size(), kept);
  EXPECT_EQ(d.log.front().at, at(40));
}

}  // namespace
}  // namespace gate::ledger
