#include "protocol/webhook/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/webhook/events.hpp"
#include "protocol/webhook/signature.hpp"

namespace gate::webhook {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const wall_time made_at{milliseconds{1'700'000'000'000}};
const wall_time changed_at = made_at + hours{1};

webhook made(bool enabled = true) {
  return make_webhook({mask_of(event_type::deploy_failed), "https://a.example.com/", "words",
                       "the first of secrets", enabled},
                      "hook_1", "acme", made_at);
}

TEST(a_webhook_made, is_what_was_asked_for) {
  const auto w = made();
  EXPECT_EQ(w.id, "hook_1");
  EXPECT_EQ(w.organization, "acme");
  EXPECT_EQ(w.events, mask_of(event_type::deploy_failed));
  EXPECT_EQ(w.url, "https://a.example.com/");
  EXPECT_EQ(w.description, "words");
  EXPECT_EQ(w.secret, "the first of secrets");
  EXPECT_EQ(w.old_secret, "");
  EXPECT_EQ(w.why_not, disabled::no);
  EXPECT_EQ(w.created, made_at);
  EXPECT_EQ(w.updated, made_at);
  EXPECT_FALSE(w.failing_since);
  EXPECT_EQ(made(false).why_not, disabled::manual);
}

TEST(a_webhook_changed, keeps_what_is_not_named) {
  auto w = made();
  apply(w, {{}, "https://b.example.com/", {}, {}}, changed_at);
  EXPECT_EQ(w.url, "https://b.example.com/");
  EXPECT_EQ(w.events, mask_of(event_type::deploy_failed));
  EXPECT_EQ(w.description, "words");
  EXPECT_EQ(w.why_not, disabled::no);
  EXPECT_EQ(w.created, made_at);
  EXPECT_EQ(w.updated, changed_at);
  apply(w, {every_event, {}, "", {}}, changed_at);
  EXPECT_EQ(w.url, "https://b.example.com/");
  EXPECT_EQ(w.events, every_event);
  EXPECT_EQ(w.description, "");
}

TEST(a_webhook_disabled, says_the_first_reason) {
  for (const auto why : {disabled::no, disabled::manual, disabled::gone, disabled::failing}) {
    auto w = made();
    w.why_not = why;
    w.failing_since = made_at;
    apply(w, {{}, {}, {}, false}, changed_at);
    EXPECT_EQ(w.why_not, why == disabled::no ? disabled::manual : why);
    EXPECT_EQ(w.failing_since, made_at);
  }
}

TEST(a_webhook_enabled, begins_anew) {
  for (const auto why : {disabled::manual, disabled::gone, disabled::failing}) {
    auto w = made();
    w.why_not = why;
    w.failing_since = made_at;
    apply(w, {{}, {}, {}, true}, changed_at);
    EXPECT_EQ(w.why_not, disabled::no);
    EXPECT_FALSE(w.failing_since);
  }
  auto w = made();
  w.failing_since = made_at;
  apply(w, {{}, {}, {}, true}, changed_at);
  EXPECT_EQ(w.failing_since, made_at) << "it was never disabled";
}

TEST(a_rotation, lets_the_secret_before_sign_for_a_day) {
  auto w = made();
  rotate(w, "the second of secrets", changed_at);
  EXPECT_EQ(w.secret, "the second of secrets");
  EXPECT_EQ(w.old_secret, "the first of secrets");
  EXPECT_EQ(w.old_secret_until, changed_at + hours{24});
  EXPECT_EQ(w.updated, changed_at);
  const auto tick = milliseconds{1};
  const auto signers = [&w](wall_time at) {
    return std::ranges::count(sign(w, "evt_1", at, "{}").standard, ',');
  };
  EXPECT_EQ(signers(changed_at + hours{24} - tick), 2);
  EXPECT_EQ(signers(changed_at + hours{24}), 1);
  rotate(w, "the third of secrets", changed_at + hours{1});
  EXPECT_EQ(w.old_secret, "the second of secrets") << "never three";
  EXPECT_EQ(w.old_secret_until, changed_at + hours{25});
}

TEST(a_rotation, of_none_or_to_the_same_has_none_before) {
  auto w = made();
  rotate(w, "the first of secrets", changed_at);
  EXPECT_EQ(w.old_secret, "");
  EXPECT_EQ(w.updated, made_at);
  w.secret.clear();
  rotate(w, "the second of secrets", changed_at);
  EXPECT_EQ(w.secret, "the second of secrets");
  EXPECT_EQ(w.old_secret, "");
  EXPECT_EQ(w.old_secret_until, wall_time{});
}

}  // namespace
}  // namespace gate::webhook
