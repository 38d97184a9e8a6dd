// Webhooks: made, read, listed, changed, disabled, deleted; those of another organization are not
// there.
#include <gtest/gtest.h>

#include "protocol/limits/ledger.hpp"
#include "tests/transport/support/ledger_storage.hpp"

namespace gate::ledger {
namespace {

using reason = refusal::reason;
using testing::at;
using webhook::disabled;

struct webhooks : testing::any_ledger {
  webhook::webhook read(const std::string& id) {
    return get<webhook::webhook>(read_webhook{"acme", id});
  }
  webhook_page page(std::optional<position> before, std::size_t most) {
    return get<webhook_page>(list_webhooks{"acme", before, most});
  }
};

TEST_F(webhooks, what_is_made_is_what_is_read) {
  webhook::webhook w;
  w.id = "hook_1";
  w.organization = "acme";
  w.events = 5;
  w.url = "https://receiver.example/\xc3\xa4";
  w.description = "text";
  w.why_not = disabled::manual;
  w.secret = "whsec_x";
  w.created = at(3);
  w.updated = at(4);
  get<webhook::webhook>(create_webhook{w});
  reopen();
  const auto r = read("hook_1");
  EXPECT_EQ(r.organization, "acme");
  EXPECT_EQ(r.events, 5);
  EXPECT_EQ(r.url, w.url);
  EXPECT_EQ(r.description, "text");
  EXPECT_EQ(r.why_not, disabled::manual);
  EXPECT_EQ(r.secret, "whsec_x");
  EXPECT_EQ(r.old_secret, "");
  EXPECT_EQ(r.created, at(3));
  EXPECT_EQ(r.updated, at(4));
  EXPECT_FALSE(r.failing_since);
  EXPECT_FALSE(r.last_at);
  EXPECT_EQ(r.last_status, 0);
}

TEST_F(webhooks, an_id_is_given_once) {
  make_webhook("hook_1");
  webhook::webhook again;
  again.id = "hook_1";
  again.organization = "acme";
  EXPECT_EQ(refused(create_webhook{again}), reason::invalid);
}

TEST_F(webhooks, lists_are_newest_first_in_pages) {
  for (int i = 1; i <= 5; ++i) make_webhook("hook_" + std::to_string(i));
  make_webhook("hook_other", "other");
  auto p = page({}, 2);
  ASSERT_EQ(p.webhooks.size(), 2U);
  EXPECT_EQ(p.webhooks[0].id, "hook_5");
  EXPECT_EQ(p.webhooks[1].id, "hook_4");
  // One that is new does not move the others.
  make_webhook("hook_6");
  p = page(p.next, 2);
  ASSERT_EQ(p.webhooks.size(), 2U);
  EXPECT_EQ(p.webhooks[0].id, "hook_3");
  p = page(p.next, 2);
  ASSERT_EQ(p.webhooks.size(), 1U);
  EXPECT_FALSE(p.next);
  EXPECT_FALSE(page({}, 6).next);
}

TEST_F(webhooks, a_patch_changes_what_it_names) {
  make_webhook("hook_1");
  patch_webhook p{"acme", "hook_1", at(9), {}, {}, {}, {}};
  p.url = "https://elsewhere.example/";
  auto w = get<webhook::webhook>(p);
  EXPECT_EQ(w.url, "https://elsewhere.example/");
  EXPECT_EQ(w.events, testing::every_event);
  EXPECT_EQ(w.updated, at(9));
  p = {"acme", "hook_1", at(10), webhook::event_mask{2}, {}, "new", false};
  get<webhook::webhook>(p);
  w = read("hook_1");
  EXPECT_EQ(w.events, 2);
  EXPECT_EQ(w.description, "new");
  EXPECT_EQ(w.why_not, disabled::manual);
  EXPECT_EQ(w.url, "https://elsewhere.example/");
}

TEST_F(webhooks, rotating_keeps_the_secret_before) {
  make_webhook("hook_1");
  const auto w = get<webhook::webhook>(rotate_secret{"acme", "hook_1", "new", at(5), at(100)});
  EXPECT_EQ(w.secret, "new");
  EXPECT_EQ(w.old_secret, "0123456789abcdef");
  EXPECT_EQ(w.old_secret_until, at(100));
  EXPECT_EQ(w.updated, at(5));
  // The one that there is does not take the place of the one before.
  const auto same = get<webhook::webhook>(rotate_secret{"acme", "hook_1", "new", at(6), at(200)});
  EXPECT_EQ(same.old_secret, "0123456789abcdef");
  EXPECT_EQ(same.old_secret_until, at(100));
  EXPECT_EQ(same.updated, at(5));
}

TEST_F(webhooks, who_disabled_it_first_is_the_reason) {
  make_webhook("hook_1");
  get<done>(disable_webhook{"hook_1", disabled::gone, at(5)});
  get<done>(disable_webhook{"hook_1", disabled::failing, at(6)});
  EXPECT_EQ(read("hook_1").why_not, disabled::gone);
  EXPECT_EQ(read("hook_1").updated, at(5));
  EXPECT_EQ(refused(disable_webhook{"hook_1", disabled::no, at(6)}), reason::invalid);
}

TEST_F(webhooks, enabling_forgets_how_long_it_has_failed) {
  make_webhook("hook_1");
  accept("evt_1");
  take("hook_1", 1);
  note("dlv_1", webhook::state::failed, 2);
  EXPECT_EQ(read("hook_1").failing_since, at(2));
  get<done>(disable_webhook{"hook_1", disabled::failing, at(3)});
  const auto w = get<webhook::webhook>(patch_webhook{"acme", "hook_1", at(4), {}, {}, {}, true});
  EXPECT_EQ(w.why_not, disabled::no);
  EXPECT_FALSE(read("hook_1").failing_since);
}

TEST_F(webhooks, what_is_deleted_is_gone_at_once) {
  make_webhook("hook_1");
  bury("hook_1", {event("evt_1")}, 1);
  accept("evt_2");
  get<done>(delete_webhook{"acme", "hook_1", at(5)});
  EXPECT_EQ(refused(read_webhook{"acme", "hook_1"}), reason::not_found);
  EXPECT_EQ(refused(delete_webhook{"acme", "hook_1", at(5)}), reason::not_found);
  EXPECT_EQ(refused(patch_webhook{"acme", "hook_1", at(5), {}, {}, {}, true}), reason::not_found);
  EXPECT_EQ(refused(take_due{"hook_1", 1, at(5), "L", at(9)}), reason::not_found);
  EXPECT_EQ(refused(disable_webhook{"hook_1", disabled::gone, at(5)}), reason::not_found);
  EXPECT_EQ(refused(list_deliveries{"acme", "hook_1", {}, {}, 10}), reason::not_found);
  EXPECT_EQ(refused(read_delivery{"acme", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(retry_delivery{"acme", "dlv_1", at(5)}), reason::not_found);
  EXPECT_EQ(refused(delete_dead{"acme", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(retry_dead{"acme", "hook_1", at(5)}), reason::not_found);
  EXPECT_TRUE(page({}, 10).webhooks.empty());
  EXPECT_TRUE(get<delivery_page>(list_dead{"acme", {}, "", {}, 10}).deliveries.empty());
  EXPECT_EQ(get<dead_counts>(dead_stats{"acme", at(5)}).total, 0U);
  EXPECT_TRUE(get<due_page>(list_due{{}, 10}).webhooks.empty());
  EXPECT_EQ(accept("evt_3").events.at(0).deliveries, 0U);
}

TEST_F(webhooks, of_another_organization_they_are_not_there) {
  make_webhook("hook_1");
  bury("hook_1", {event("evt_1")}, 1);
  EXPECT_EQ(refused(read_webhook{"other", "hook_1"}), reason::not_found);
  EXPECT_EQ(refused(patch_webhook{"other", "hook_1", at(5), {}, {}, {}, false}), reason::not_found);
  EXPECT_EQ(refused(delete_webhook{"other", "hook_1", at(5)}), reason::not_found);
  EXPECT_EQ(refused(rotate_secret{"other", "hook_1", "theirs", at(5), at(6)}), reason::not_found);
  EXPECT_EQ(refused(list_deliveries{"other", "hook_1", {}, {}, 10}), reason::not_found);
  EXPECT_EQ(refused(read_delivery{"other", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(retry_delivery{"other", "dlv_1", at(5)}), reason::not_found);
  EXPECT_EQ(refused(retry_dead{"other", "hook_1", at(5)}), reason::not_found);
  EXPECT_EQ(refused(delete_dead{"other", "dlv_1"}), reason::not_found);
  EXPECT_EQ(refused(list_dead{"other", {}, "hook_1", {}, 10}), reason::not_found);
  EXPECT_TRUE(get<delivery_page>(list_dead{"other", {}, "", {}, 10}).deliveries.empty());
  EXPECT_EQ(get<dead_counts>(dead_stats{"other", at(5)}).total, 0U);
  EXPECT_TRUE(get<webhook_page>(list_webhooks{"other", {}, 10}).webhooks.empty());
  EXPECT_EQ(read("hook_1").secret, "0123456789abcdef");
  EXPECT_EQ(delivery("dlv_1").status, webhook::state::dead);
}

TEST_F(webhooks, an_organization_has_so_many) {
  for (std::size_t i = 0; i < limits::ledger_webhooks; ++i)
    make_webhook("hook_" + std::to_string(i));
  webhook::webhook more;
  more.id = "hook_more";
  more.organization = "acme";
  EXPECT_EQ(refused(create_webhook{more}), reason::too_many);
  get<done>(delete_webhook{"acme", "hook_0", at(1)});
  make_webhook("hook_more");
  make_webhook("hook_other", "other");
}

}  // namespace
}  // namespace gate::ledger
