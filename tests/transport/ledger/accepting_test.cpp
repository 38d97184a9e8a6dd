// Events come in: transport/ledger/ledger.hpp and what transport/ledger/books.hpp does of it, for
// webhooks that want them.
#include <gtest/gtest.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_storage.hpp"
#include "transport/ledger/ledger.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::event_type;
using webhook::state;

constexpr webhook::event_mask bit(event_type t) {
  return static_cast<webhook::event_mask>(1U << static_cast<unsigned>(t));
}

struct accepting : testing::any_ledger {
  answer ask_for(std::vector<new_event> events) {
    return ask(accept_events{"acme", std::move(events), at(1), at(1)});
  }
};

TEST_F(accepting, an_event_becomes_a_delivery_of_each_webhook_that_wants_it) {
  make_webhook("hook_all");
  make_webhook("hook_failed", "acme", bit(event_type::deploy_failed));
  make_webhook("hook_success", "acme", bit(event_type::deploy_success));
  make_webhook("hook_others", "other");
  make_webhook("hook_disabled");
  get<done>(disable_webhook{"hook_disabled", webhook::disabled::gone, at(0)});
  const auto told = accept("evt_1");
  ASSERT_EQ(told.events.size(), 1U);
  EXPECT_EQ(told.events[0].id, "evt_1");
  EXPECT_EQ(told.events[0].deliveries, 2U);
  EXPECT_FALSE(told.events[0].repeated);
  EXPECT_EQ(told.webhooks, (std::vector<std::string>{"hook_all", "hook_success"}));
  const auto d = get<whole_delivery>(read_delivery{"acme", "dlv_1"});
  EXPECT_EQ(d.delivery.webhook, "hook_all");
  EXPECT_EQ(d.delivery.status, state::pending);
  EXPECT_EQ(d.delivery.next_attempt, at(1));
  EXPECT_EQ(d.delivery.created, at(1));
  EXPECT_EQ(d.event.id, "evt_1");
  EXPECT_EQ(d.event.organization, "acme");
  EXPECT_EQ(d.event.at, at(1));
  EXPECT_EQ(d.event.body, event("evt_1").body);
}

TEST_F(accepting, a_body_is_stored_once_byte_for_byte) {
  make_webhook("hook_1");
  make_webhook("hook_2");
  auto e = event("evt_1");
  e.body = std::string("{\"data\":\"\xc3\xa4\0\xff\"}", 15);
  accept({e});
  EXPECT_EQ(rows("events"), 1);
  EXPECT_EQ(rows("deliveries"), 2);
  for (const auto* id : {"dlv_1", "dlv_2"})
    EXPECT_EQ(get<whole_delivery>(read_delivery{"acme", id}).event.body, e.body);
}

TEST_F(accepting, the_same_id_and_body_is_the_same_event) {
  make_webhook("hook_1");
  accept("evt_1");
  const auto again = accept("evt_1", 50);
  EXPECT_TRUE(again.events.at(0).repeated);
  EXPECT_EQ(again.events[0].deliveries, 1U);
  EXPECT_TRUE(again.webhooks.empty());
  EXPECT_EQ(rows("deliveries"), 1);
  // Within one request, too; and after the process was started again.
  reopen();
  const auto both = accept({event("evt_1"), event("evt_2"), event("evt_2")});
  EXPECT_TRUE(both.events.at(0).repeated);
  EXPECT_FALSE(both.events.at(1).repeated);
  EXPECT_TRUE(both.events.at(2).repeated);
  EXPECT_EQ(rows("deliveries"), 2);
}

TEST_F(accepting, the_same_id_and_another_body_or_type_is_a_conflict) {
  make_webhook("hook_1");
  accept("evt_1");
  auto other = event("evt_1");
  other.body += " ";
  EXPECT_EQ(std::get<refusal>(ask_for({other})).why, reason::conflict);
  EXPECT_EQ(std::get<refusal>(ask_for({event("evt_1", event_type::deploy_failed)})).why,
            reason::conflict);
  // All of a request or none.
  const auto said = std::get<refusal>(ask_for({event("evt_2"), other}));
  EXPECT_EQ(said.why, reason::conflict);
  EXPECT_NE(said.what.find("evt_1"), std::string::npos);
  EXPECT_EQ(rows("events"), 1);
  EXPECT_EQ(counts().deliveries[0], 1U);
}

TEST_F(accepting, with_fingerprints_these_say_whether_it_is_the_same) {
  auto e = event("evt_1");
  e.fingerprint = std::string("\0\1", 2);
  accept({e});
  e.body += "with another timestamp";
  EXPECT_TRUE(accept({e}).events.at(0).repeated);
  e.fingerprint = "another";
  EXPECT_EQ(std::get<refusal>(ask_for({e})).why, reason::conflict);
}

TEST_F(accepting, ids_of_organizations_are_their_own) {
  accept("evt_1");
  auto e = event("evt_1");
  e.body = "another";
  EXPECT_FALSE(accept({e}, 1, "other").events.at(0).repeated);
  EXPECT_EQ(rows("events"), 2);
}

TEST_F(accepting, an_event_that_nobody_wants_is_remembered) {
  EXPECT_EQ(accept("evt_1").events.at(0).deliveries, 0U);
  make_webhook("hook_1");
  EXPECT_TRUE(accept("evt_1").events.at(0).repeated);
  EXPECT_EQ(rows("deliveries"), 0);
}

TEST_F(accepting, a_request_has_one_to_a_thousand_events) {
  make_webhook("hook_1");
  EXPECT_EQ(std::get<refusal>(ask_for({})).why, reason::invalid);
  std::vector<new_event> many;
  for (std::size_t i = 0; i < limits::ledger_events; ++i)
    many.push_back(event("evt_" + std::to_string(i)));
  EXPECT_EQ(accept(many).events.size(), limits::ledger_events);
  many.push_back(event("evt_more"));
  EXPECT_EQ(std::get<refusal>(ask_for(many)).why, reason::invalid);
  EXPECT_EQ(rows("deliveries"), static_cast<std::int64_t>(limits::ledger_events));
}

TEST_F(accepting, what_waits_in_a_queue_is_counted_with_its_bodies) {
  accept_events e{"acme", {event("evt_1")}, at(1), at(1)};
  const auto small = bytes_of(e);
  e.events[0].body.assign(1000, 'x');
  EXPECT_GE(bytes_of(e), small + 900);
  EXPECT_TRUE(writes(e));
  EXPECT_FALSE(writes(count_all{}));
  EXPECT_TRUE(writes(release_leases{}));
}

}  // namespace
}  // namespace gate::ledger
