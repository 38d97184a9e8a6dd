// What is kept long enough goes; and how much there is.
#include <gtest/gtest.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_storage.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::state;

struct upkeep : testing::any_ledger {
  upkeep() { make_webhook("hook_1"); }
  cleaned clean_up(std::int64_t succeeded, std::int64_t dead) {
    return get<cleaned>(clean{at(succeeded), at(dead)});
  }
  void succeed(const std::string& id, std::int64_t now) {
    accept(id, now);
    for (const auto& d : take("hook_1", now).deliveries) note(d.delivery.id, state::succeeded, now);
  }
};

TEST_F(upkeep, what_ended_before_goes_with_its_attempts_and_events) {
  succeed("evt_1", 10);
  succeed("evt_2", 20);
  bury("hook_1", {event("evt_3")}, 10);
  bury("hook_1", {event("evt_4")}, 20);
  accept("evt_5", 5);
  auto out = clean_up(20, 0);
  EXPECT_EQ(out.deliveries, 1U);
  EXPECT_EQ(out.events, 1U);
  EXPECT_FALSE(out.more);
  EXPECT_EQ(rows("attempts"), 3);
  out = clean_up(20, 20);
  EXPECT_EQ(out.deliveries, 1U);
  EXPECT_EQ(refused(read_delivery{"acme", "dlv_3"}), reason::not_found);
  EXPECT_EQ(delivery("dlv_4").status, state::dead);
  out = clean_up(99, 99);
  EXPECT_EQ(out.deliveries, 2U);
  // What still waits is never too old.
  EXPECT_EQ(delivery("dlv_5").status, state::pending);
  EXPECT_EQ(rows("events"), 1);
  EXPECT_EQ(rows("attempts"), 0);
}

TEST_F(upkeep, an_event_stays_as_long_as_one_of_its_deliveries) {
  make_webhook("hook_2");
  succeed("evt_1", 10);
  EXPECT_EQ(clean_up(99, 99).events, 0U);
  EXPECT_EQ(get<whole_delivery>(read_delivery{"acme", "dlv_2"}).event.body, event("evt_1").body);
  for (const auto& d : take("hook_2", 10).deliveries) note(d.delivery.id, state::dead, 10);
  EXPECT_EQ(clean_up(99, 99).events, 1U);
}

TEST_F(upkeep, events_that_nobody_wanted_go_as_well) {
  accept({event("evt_1")}, 10, "other");
  accept({event("evt_2")}, 20, "other");
  EXPECT_EQ(clean_up(20, 0).events, 1U);
  EXPECT_TRUE(accept({event("evt_2")}, 30, "other").events.at(0).repeated);
  EXPECT_FALSE(accept({event("evt_1")}, 30, "other").events.at(0).repeated);
}

TEST_F(upkeep, a_deleted_webhook_goes_with_all_it_had) {
  make_webhook("hook_2");
  succeed("evt_1", 10);
  accept("evt_2");
  take("hook_1", 10, "L", 1);
  accept("evt_3");
  get<done>(delete_webhook{"acme", "hook_1", at(11)});
  const auto out = clean_up(0, 0);
  EXPECT_EQ(out.deliveries, 3U);
  EXPECT_EQ(out.events, 0U);
  EXPECT_EQ(rows("webhooks"), 1);
  EXPECT_EQ(counts().deliveries, (std::array<std::uint64_t, 5>{3, 0, 0, 0, 0}));
  EXPECT_EQ(std::get<refusal>(note("dlv_3", state::succeeded, 12)).why, reason::lease_lost);
}

TEST_F(upkeep, steps_are_small) {
  std::vector<new_event> many(limits::ledger_events);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = event("evt_" + std::to_string(i));
  accept(many);
  accept("evt_more");
  get<done>(delete_webhook{"acme", "hook_1", at(11)});
  auto out = clean_up(0, 0);
  EXPECT_EQ(out.deliveries, limits::ledger_step);
  EXPECT_TRUE(out.more);
  EXPECT_EQ(rows("webhooks"), 1);
  out = clean_up(0, 0);
  EXPECT_EQ(out.deliveries, 1U);
  EXPECT_FALSE(out.more);
  EXPECT_EQ(rows("webhooks"), 0);
}

TEST_F(upkeep, counts_are_those_of_the_rows) {
  accept({event("evt_1"), event("evt_2"), event("evt_3"), event("evt_4"), event("evt_5")}, 3);
  take("hook_1", 3, "L", 4);
  note("dlv_1", state::succeeded, 4);
  note("dlv_2", state::failed, 4);
  note("dlv_3", state::dead, 4);
  auto c = counts();
  EXPECT_EQ(c.deliveries, (std::array<std::uint64_t, 5>{1, 1, 1, 1, 1}));
  EXPECT_EQ(c.webhooks, 1U);
  EXPECT_EQ(c.oldest_due, at(3));
  // What is undone is not counted, either.
  auto other = event("evt_1");
  other.body = "another";
  EXPECT_EQ(refused(accept_events{"acme", {event("evt_6"), other}, at(5), at(5)}),
            reason::conflict);
  reopen();
  EXPECT_EQ(counts().deliveries, c.deliveries);
  get<done>(disable_webhook{"hook_1", webhook::disabled::gone, at(5)});
  EXPECT_FALSE(counts().oldest_due);
}

}  // namespace
}  // namespace gate::ledger
