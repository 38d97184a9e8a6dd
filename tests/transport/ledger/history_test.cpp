// What has become of deliveries: their lists, dead letters, trying again.
#include <gtest/gtest.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_storage.hpp"
#include "transport/ledger/rows.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::event_type;
using webhook::state;

struct history : testing::any_ledger {
  history() { make_webhook("hook_1"); }
  using names = std::vector<std::string>;
  static names ids(const delivery_page& p) {
    names out;
    for (const auto& d : p.deliveries) out.push_back(d.id);
    return out;
  }
  delivery_page list(std::optional<state> status, std::optional<position> before = {},
                     std::size_t most = 10) {
    return get<delivery_page>(list_deliveries{"acme", "hook_1", status, before, most});
  }
  delivery_page dead(std::optional<event_type> type = {}, const std::string& webhook = "",
                     std::optional<position> before = {}, std::size_t most = 10) {
    return get<delivery_page>(list_dead{"acme", type, webhook, before, most});
  }
};

TEST_F(history, lists_are_newest_first_in_pages_and_by_status) {
  accept({event("evt_1"), event("evt_2"), event("evt_3"), event("evt_4"), event("evt_5")});
  take("hook_1", 1, "L", 4);
  note("dlv_1", state::succeeded, 2);
  note("dlv_2", state::failed, 2);
  note("dlv_3", state::dead, 2);
  auto p = list({}, {}, 3);
  EXPECT_EQ(ids(p), (names{"dlv_5", "dlv_4", "dlv_3"}));
  p = list({}, p.next, 3);
  EXPECT_EQ(ids(p), (names{"dlv_2", "dlv_1"}));
  EXPECT_FALSE(p.next);
  EXPECT_TRUE(p.deliveries[0].log.empty());
  EXPECT_EQ(p.deliveries[0].webhook, "hook_1");
  EXPECT_EQ(p.deliveries[0].event, "evt_2");
  EXPECT_EQ(ids(list(state::pending)), names{"dlv_5"});
  EXPECT_EQ(ids(list(state::delivering)), names{"dlv_4"});
  EXPECT_EQ(ids(list(state::succeeded)), names{"dlv_1"});
  EXPECT_EQ(ids(list(state::failed)), names{"dlv_2"});
  EXPECT_EQ(ids(list(state::dead)), names{"dlv_3"});
  EXPECT_EQ(refused(list_deliveries{"acme", "hook_none", {}, {}, 10}), reason::not_found);
}

TEST_F(history, a_page_is_bounded_and_looks_at_so_many) {
  accept("evt_first");
  take("hook_1", 1);
  note("dlv_1", state::dead, 1);
  std::vector<new_event> many(limits::ledger_events);
  for (int n = 0; n < 11; ++n) {
    for (std::size_t i = 0; i < many.size(); ++i)
      many[i] = event("evt_" + std::to_string(n) + "_" + std::to_string(i));
    accept(many);
  }
  EXPECT_EQ(list({}, {}, 5000).deliveries.size(), limits::ledger_page);
  EXPECT_EQ(list({}, {}, 0).deliveries.size(), 1U);
  // It lies behind more than one page looks at.
  const auto first = list(state::dead);
  EXPECT_TRUE(first.deliveries.empty());
  ASSERT_TRUE(first.next);
  const auto second = list(state::dead, first.next);
  EXPECT_EQ(ids(second), names{"dlv_1"});
  EXPECT_FALSE(second.next);
  // Of dead letters there is an index.
  EXPECT_EQ(ids(dead({}, "hook_1")), names{"dlv_1"});
}

TEST_F(history, dead_letters_are_listed_by_event_and_webhook) {
  make_webhook("hook_2");
  bury("hook_1", {event("evt_1"), event("evt_2", event_type::deploy_failed)}, 1);
  for (const auto& d : take("hook_2", 1).deliveries) note(d.delivery.id, state::dead, 1);
  EXPECT_EQ(ids(dead()), (names{"dlv_4", "dlv_3", "dlv_2", "dlv_1"}));
  EXPECT_EQ(ids(dead(event_type::deploy_failed)), (names{"dlv_4", "dlv_3"}));
  EXPECT_EQ(ids(dead({}, "hook_2")), (names{"dlv_4", "dlv_2"}));
  EXPECT_EQ(ids(dead(event_type::deploy_failed, "hook_2")), names{"dlv_4"});
  auto p = dead({}, "", {}, 3);
  EXPECT_EQ(ids(p), (names{"dlv_4", "dlv_3", "dlv_2"}));
  EXPECT_EQ(ids(dead({}, "", p.next, 3)), names{"dlv_1"});
  EXPECT_EQ(refused(list_dead{"acme", {}, "hook_none", {}, 10}), reason::not_found);
}

TEST_F(history, statistics_of_dead_letters_are_by_event_and_age) {
  const std::int64_t hour = 3600, day = 24 * hour;
  const auto now = 10 * day;
  bury("hook_1", {event("evt_1"), event("evt_2")}, now - hour + 1);
  bury("hook_1", {event("evt_3", event_type::usage_threshold)}, now - hour);
  bury("hook_1", {event("evt_4")}, now - day);
  bury("hook_1", {event("evt_5")}, now - 7 * day);
  const auto s = get<dead_counts>(dead_stats{"acme", at(now)});
  EXPECT_EQ(s.total, 5U);
  EXPECT_EQ(s.by_event, (std::array<std::uint64_t, 5>{4, 0, 0, 0, 1}));
  EXPECT_EQ(s.by_age, (std::array<std::uint64_t, 4>{2, 1, 1, 1}));
  EXPECT_EQ(s.oldest, at(now - 7 * day));
  EXPECT_FALSE(get<dead_counts>(dead_stats{"nobody", at(now)}).oldest);
}

TEST_F(history, one_dead_letter_is_tried_again_and_may_come_back) {
  bury("hook_1", {event("evt_1")}, 1);
  const auto out = get<requeued>(retry_delivery{"acme", "dlv_1", at(50)});
  EXPECT_EQ(out.deliveries, std::vector<std::string>{"dlv_1"});
  EXPECT_EQ(out.webhook, "hook_1");
  EXPECT_TRUE(dead().deliveries.empty());
  const auto d = delivery("dlv_1");
  EXPECT_EQ(d.status, state::failed);
  EXPECT_EQ(d.next_attempt, at(50));
  EXPECT_EQ(d.attempts, 1U);
  EXPECT_EQ(d.finished, at(1));
  EXPECT_EQ(take("hook_1", 50).deliveries.size(), 1U);
  note("dlv_1", state::dead, 51);
  EXPECT_EQ(dead().deliveries.at(0).last_failed, at(51));
  EXPECT_EQ(dead().deliveries.at(0).first_failed, at(1));
}

TEST_F(history, only_what_waits_or_is_dead_is_tried_again) {
  accept({event("evt_1"), event("evt_2"), event("evt_3")}, 90);
  EXPECT_EQ(get<requeued>(retry_delivery{"acme", "dlv_3", at(5)}).deliveries.size(), 1U);
  EXPECT_EQ(delivery("dlv_3").next_attempt, at(5));
  EXPECT_EQ(delivery("dlv_3").status, state::pending);
  take("hook_1", 90);
  note("dlv_1", state::succeeded, 91);
  EXPECT_EQ(refused(retry_delivery{"acme", "dlv_1", at(92)}), reason::conflict);
  EXPECT_EQ(refused(retry_delivery{"acme", "dlv_2", at(92)}), reason::conflict);
  EXPECT_EQ(refused(retry_delivery{"acme", "dlv_none", at(92)}), reason::not_found);
}

TEST_F(history, all_dead_letters_of_a_webhook_are_tried_again_in_steps) {
  make_webhook("hook_2");
  std::vector<new_event> many(limits::ledger_events);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = event("evt_" + std::to_string(i));
  accept(many);
  accept("evt_more");
  std::vector<std::future<answer>> told;
  for (const auto* hook : {"hook_1", "hook_2"})
    for (auto t = take(hook, 1); !t.deliveries.empty(); t = take(hook, 1))
      for (const auto& d : t.deliveries)
        told.push_back(send(attempt_of(d.delivery.id, state::dead, 1, "L")));
  for (auto& t : told) std::get<noted>(t.get());
  EXPECT_EQ(counts().deliveries[4], 2 * limits::ledger_events + 2);
  auto out = get<requeued>(retry_dead{"acme", "hook_1", at(5)});
  EXPECT_EQ(out.deliveries.size(), limits::ledger_step);
  EXPECT_TRUE(out.more);
  out = get<requeued>(retry_dead{"acme", "hook_1", at(5)});
  EXPECT_EQ(out.deliveries.size(), 1U);
  EXPECT_FALSE(out.more);
  EXPECT_EQ(get<dead_counts>(dead_stats{"acme", at(5)}).total, limits::ledger_events + 1);
}

TEST_F(history, a_dead_letter_is_deleted_with_its_event_and_nothing_else_is) {
  bury("hook_1", {event("evt_1")}, 1);
  accept("evt_2");
  get<done>(delete_dead{"acme", "dlv_1"});
  EXPECT_EQ(refused(read_delivery{"acme", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(delete_dead{"acme", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(delete_dead{"acme", "dlv_2"}), reason::not_found);
  EXPECT_FALSE(accept("evt_1").events.at(0).repeated);
}

}  // namespace
}  // namespace gate::ledger
