// What is kept long enough goes; how much there is; and that nothing reads a table to its end.
#include <gtest/gtest.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_file.hpp"
#include "transport/ledger/books.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::state;

struct upkeep : testing::ledger_file {
  upkeep() { make_webhook("hook_1"); }
  cleaned clean_up(std::int64_t succeeded, std::int64_t dead) {
    return get<cleaned>(clean{at(succeeded), at(dead)});
  }
  std::int64_t rows(const char* table) {
    const std::string sql = std::string("SELECT count(*) FROM ") + table;
    sqlite::query q(db(), sql);
    return q.row() ? q.number(0) : -1;
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

// Whatever is kept, each operation looks at what it is about.
TEST_F(upkeep, nothing_reads_a_table_from_one_end_to_the_other) {
  for (int i = 0; i < 20; ++i) accept("evt_" + std::to_string(i));
  accept({event("evt_1")}, 1, "other");
  take("hook_1", 1, "A", 6);
  note("dlv_1", state::succeeded, 2, "A");
  note("dlv_2", state::failed, 2, "A");
  note("dlv_3", state::dead, 2, "A");
  note("dlv_4", state::dead, 2, "A");
  accept("evt_1");
  get<webhook_page>(list_webhooks{"acme", {}, 10});
  get<webhook::webhook>(patch_webhook{"acme", "hook_1", at(2), {}, {}, {}, true});
  get<webhook::webhook>(rotate_secret{"acme", "hook_1", "new", at(2), at(3)});
  get<due_page>(list_due{{}, 10});
  get<delivery_page>(list_deliveries{"acme", "hook_1", state::succeeded, {}, 10});
  get<delivery_page>(list_dead{"acme", {}, "", {}, 10});
  get<delivery_page>(list_dead{"acme", {}, "hook_1", {}, 10});
  get<dead_counts>(dead_stats{"acme", at(9)});
  get<requeued>(retry_delivery{"acme", "dlv_3", at(3)});
  get<requeued>(retry_dead{"acme", "hook_1", at(3)});
  take("hook_1", 3, "B");
  note("dlv_3", state::dead, 4, "B");
  get<done>(delete_dead{"acme", "dlv_3"});
  get<released>(give_back{"B", at(5)});
  get<released>(release_leases{at(99), false});
  clean_up(99, 99);
  get<done>(disable_webhook{"hook_1", webhook::disabled::gone, at(5)});
  get<done>(delete_webhook{"acme", "hook_1", at(6)});
  clean_up(99, 99);
  close();
  open();
  make_webhook("hook_2");
  counts();
  // These are five rows, and the webhooks.
  for (const auto& sql : db().full_scans())
    EXPECT_TRUE(sql == "SELECT status, deliveries FROM counts" ||
                sql.starts_with("SELECT count(*), min(CASE") || sql.find("schema") != sql.npos)
        << sql;
}

}  // namespace
}  // namespace gate::ledger
