// What holds in both houses of LEDGER: which requests make no sense, and how things change.
#include "transport/ledger/rules.hpp"

#include <gtest/gtest.h>

namespace gate::ledger::rules {
namespace {

using webhook::disabled;
using webhook::event_type;
using webhook::state;

wall_time after(std::int64_t seconds) {
  return wall_time(std::chrono::seconds(seconds));
}

TEST(ledger_rules, a_request_has_events_but_not_too_many) {
  accept_events r;
  EXPECT_TRUE(wrong(r));
  r.events.resize(limits::ledger_events);
  EXPECT_FALSE(wrong(r));
  r.events.emplace_back();
  EXPECT_EQ(wrong(r)->why, refusal::reason::invalid);
}

TEST(ledger_rules, a_lease_has_a_token_and_an_end) {
  const auto is_wrong = [](const std::string& lease, wall_time until) {
    return wrong(take_due{"hook_1", 1, after(0), lease, until}).has_value();
  };
  const auto most = after(0) + limits::ledger_lease;
  EXPECT_FALSE(is_wrong("L", most));
  EXPECT_TRUE(is_wrong("L", most + std::chrono::milliseconds(1)));
  EXPECT_TRUE(is_wrong("L", after(0)));
  EXPECT_TRUE(is_wrong("", most));
}

TEST(ledger_rules, an_attempt_ends_or_has_a_next_time) {
  for (const auto s :
       {state::pending, state::delivering, state::succeeded, state::failed, state::dead})
    for (const bool next : {false, true}) {
      note_attempt r;
      r.status = s;
      if (next) r.next = after(1);
      const bool right = s == state::succeeded || s == state::dead || (s == state::failed && next);
      EXPECT_EQ(!wrong(r), right) << static_cast<int>(s) << next;
    }
}

TEST(ledger_rules, what_waits_or_is_dead_is_tried_again) {
  for (const auto s : {state::pending, state::failed, state::dead})
    EXPECT_FALSE(not_tried_again("dlv_1", s));
  for (const auto s : {state::succeeded, state::delivering})
    EXPECT_EQ(not_tried_again("dlv_1", s)->why, refusal::reason::conflict);
  EXPECT_EQ(retried_state(state::dead), state::failed);
  EXPECT_EQ(retried_state(state::pending), state::pending);
  EXPECT_EQ(released_state(0), state::pending);
  EXPECT_EQ(released_state(1), state::failed);
}

TEST(ledger_rules, events_are_the_same_by_fingerprint_or_else_by_body) {
  new_event e{"evt_1", event_type::deploy_success, after(1), "body", ""};
  EXPECT_TRUE(same_event(e, e.type, "body", ""));
  EXPECT_FALSE(same_event(e, e.type, "other", ""));
  EXPECT_FALSE(same_event(e, event_type::deploy_failed, "body", ""));
  EXPECT_FALSE(same_event(e, e.type, "body", "print"));
  e.fingerprint = "print";
  EXPECT_TRUE(same_event(e, e.type, "other", "print"));
  EXPECT_FALSE(same_event(e, e.type, "body", ""));
}

TEST(ledger_rules, a_patch_that_enables_forgets_failures) {
  webhook::webhook w;
  w.why_not = disabled::failing;
  w.failing_since = after(1);
  patch_webhook p;
  p.now = after(9);
  p.description = "new";
  patch(w, p);
  EXPECT_EQ(w.why_not, disabled::failing);
  EXPECT_EQ(w.updated, after(9));
  p.enabled = true;
  patch(w, p);
  EXPECT_EQ(w.why_not, disabled::no);
  EXPECT_FALSE(w.failing_since);
  // One that was enabled already goes on failing.
  w.failing_since = after(2);
  patch(w, p);
  EXPECT_TRUE(w.failing_since);
  p.enabled = false;
  patch(w, p);
  EXPECT_EQ(w.why_not, disabled::manual);
}

TEST(ledger_rules, counts_of_dead_letters_add_up) {
  dead_counts c;
  add(c, 0, 3, 2, after(5));
  add(c, 4, 0, 1, after(3));
  add(c, 9, 9, 1, after(9));
  EXPECT_EQ(c.total, 4U);
  EXPECT_EQ(c.by_event, (std::array<std::uint64_t, 5>{2, 0, 0, 0, 1}));
  EXPECT_EQ(c.by_age, (std::array<std::uint64_t, 4>{1, 0, 0, 2}));
  EXPECT_EQ(c.oldest, after(3));
  EXPECT_EQ(page(0), 1U);
  EXPECT_EQ(page(1'000'000), limits::ledger_page);
}

}  // namespace
}  // namespace gate::ledger::rules
