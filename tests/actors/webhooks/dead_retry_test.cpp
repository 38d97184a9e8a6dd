#include "actors/webhooks/dead_retry.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/hooks_api.hpp"

namespace gate::hooks {
namespace {

using webhook::state;

const std::string hook_id = "hook_01ARYZ6S41TSV4RRFFQ69G5FAV";
const std::string letter_id = "dlv_01ARYZ6S41TSV4RRFFQ69G5FAV";
const wall_time t{std::chrono::milliseconds{1'700'000'000'123}};

webhook::webhook enabled_hook() {
  webhook::webhook w;
  w.id = hook_id;
  return w;
}
ledger::answer requeued(std::vector<std::string> ids, bool more = false) {
  return ledger::requeued{std::move(ids), hook_id, more};
}
attempt_told told(std::string id, state how) {
  return {1, std::move(id), how};
}
template <class T>
bool asks(const dead_retry::step& s) {
  return s.ask && std::holds_alternative<T>(*s.ask);
}
std::string body(const dead_retry::step& s) {
  return s.over ? s.over->body : "";
}
std::string counts(int retried, int succeeded, int failed) {
  return R"({"retried":)" + std::to_string(retried) + R"(,"succeeded":)" +
         std::to_string(succeeded) + R"(,"failed":)" + std::to_string(failed) + "}";
}

/// One of a whole webhook, which is followed.
dead_retry of_all() {
  dead_retry r("acme", hook_id);
  const auto s = r.on_answer(enabled_hook(), t);
  EXPECT_TRUE(s.follow);
  EXPECT_TRUE(asks<ledger::retry_dead>(s));
  EXPECT_EQ(r.webhook(), hook_id);
  return r;
}

TEST(dead_retry, waits_for_each_of_a_webhook) {
  auto r = of_all();
  const auto s = r.on_answer(requeued({"a", "b", "c"}), t);
  EXPECT_FALSE(s.over);
  EXPECT_FALSE(s.ask);
  ASSERT_TRUE(s.due);
  EXPECT_EQ(s.due->webhook, hook_id);
  EXPECT_EQ(s.due->organization, "acme");
  EXPECT_EQ(s.due->at, t);
  EXPECT_FALSE(r.on_attempt(told("a", state::succeeded)).over);
  EXPECT_FALSE(r.on_attempt(told("a", state::dead)).over) << "it is counted once";
  EXPECT_FALSE(r.on_attempt(told("another", state::dead)).over);
  EXPECT_FALSE(r.on_attempt(told("b", state::dead)).over);
  EXPECT_EQ(body(r.on_attempt(told("c", state::failed))), counts(3, 1, 2));
}

TEST(dead_retry, of_nothing_is_over_at_once) {
  auto r = of_all();
  const auto s = r.on_answer(requeued({}), t);
  EXPECT_EQ(body(s), counts(0, 0, 0));
  EXPECT_FALSE(s.due);
}

TEST(dead_retry, goes_on_in_steps) {
  auto r = of_all();
  auto s = r.on_answer(requeued({"a", "b"}, true), t);
  EXPECT_TRUE(asks<ledger::retry_dead>(s));
  EXPECT_TRUE(s.due);
  EXPECT_FALSE(s.follow) << "once is enough";
  EXPECT_FALSE(r.on_attempt(told("a", state::succeeded)).over);
  EXPECT_FALSE(r.on_attempt(told("b", state::succeeded)).over) << "there are more";
  s = r.on_answer(requeued({"c"}), t);
  EXPECT_FALSE(s.over);
  EXPECT_EQ(body(r.on_attempt(told("c", state::succeeded))), counts(3, 3, 0));
}

TEST(dead_retry, has_an_end_with_a_receiver_that_fails_at_once) {
  auto r = of_all();
  r.on_answer(requeued({"a", "b"}, true), t);
  r.on_attempt(told("a", state::dead));
  // It is in the queue again, so all have been there.
  const auto s = r.on_answer(requeued({"c", "a"}, true), t);
  EXPECT_FALSE(s.ask);
  EXPECT_TRUE(s.due);
  r.on_attempt(told("b", state::dead));
  EXPECT_EQ(body(r.on_attempt(told("c", state::dead))), counts(3, 0, 3));
}

TEST(dead_retry, hears_of_attempts_before_it_knows_of_them) {
  auto r = of_all();
  EXPECT_FALSE(r.on_attempt(told("a", state::succeeded)).over);
  EXPECT_FALSE(r.on_attempt(told("x", state::dead)).over);
  EXPECT_EQ(body(r.on_answer(requeued({"a"}), t)), counts(1, 1, 0));
}

TEST(dead_retry, of_one_looks_at_it_first) {
  dead_retry r("acme", letter_id);
  ledger::whole_delivery d;
  d.delivery.webhook = hook_id;
  d.delivery.status = state::dead;
  auto s = r.on_answer(d, t);
  ASSERT_TRUE(asks<ledger::read_webhook>(s));
  EXPECT_EQ(std::get<ledger::read_webhook>(*s.ask).id, hook_id);
  EXPECT_FALSE(s.follow);
  s = r.on_answer(enabled_hook(), t);
  EXPECT_TRUE(s.follow);
  ASSERT_TRUE(asks<ledger::retry_delivery>(s));
  EXPECT_EQ(std::get<ledger::retry_delivery>(*s.ask).id, letter_id);
  r.on_answer(requeued({letter_id}), t);
  EXPECT_EQ(body(r.on_attempt(told(letter_id, state::dead))), counts(1, 0, 1));
}

TEST(dead_retry, requeues_nothing_that_can_not_be_attempted) {
  for (const auto status : {state::pending, state::delivering, state::succeeded, state::failed}) {
    dead_retry r("acme", letter_id);
    ledger::whole_delivery d;
    d.delivery.status = status;
    const auto s = r.on_answer(d, t);
    ASSERT_TRUE(s.over);
    EXPECT_EQ(s.over->status, 409);
    EXPECT_FALSE(s.ask || s.follow || s.due);
  }
  for (const auto why :
       {webhook::disabled::manual, webhook::disabled::gone, webhook::disabled::failing}) {
    dead_retry r("acme", hook_id);
    auto w = enabled_hook();
    w.why_not = why;
    const auto s = r.on_answer(w, t);
    ASSERT_TRUE(s.over);
    EXPECT_EQ(s.over->status, 409);
    EXPECT_FALSE(s.ask || s.follow || s.due);
  }
}

TEST(dead_retry, ends_with_what_the_ledger_refuses) {
  using enum ledger::refusal::reason;
  EXPECT_EQ(dead_retry("acme", hook_id).on_answer(ledger::refusal{not_found, "x"}, t).over->status,
            404);
  auto r = of_all();
  EXPECT_EQ(r.on_answer(ledger::refusal{unavailable, "x"}, t).over->status, 503);
  EXPECT_EQ(dead_retry("acme", hook_id).on_answer(ledger::done{}, t).over->status, 500);
  EXPECT_EQ(of_all().on_answer(enabled_hook(), t).over->status, 500);
}

TEST(dead_retry, is_given_up_with_what_has_ended) {
  auto r = of_all();
  EXPECT_EQ(r.give_up().body, counts(0, 0, 0));
  r.on_answer(requeued({"a", "b", "c"}), t);
  r.on_attempt(told("b", state::dead));
  EXPECT_EQ(r.give_up().status, 200);
  EXPECT_EQ(r.give_up().body, counts(3, 0, 1));
}

TEST(dead_retry, follows_so_many_and_no_more) {
  auto r = of_all();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < limits::hooks_retry_followed + 5; ++i)
    ids.push_back(std::to_string(i));
  r.on_answer(requeued(ids), t);
  for (std::size_t i = 0; i + 1 < limits::hooks_retry_followed; ++i)
    ASSERT_FALSE(r.on_attempt(told(ids[i], state::succeeded)).over);
  const auto last = static_cast<int>(limits::hooks_retry_followed);
  EXPECT_EQ(body(r.on_attempt(told(ids[limits::hooks_retry_followed - 1], state::succeeded))),
            counts(last + 5, last, 0));
}

TEST(dead_retry, keeps_so_many_early_attempts) {
  auto r = of_all();
  for (std::size_t i = 0; i < limits::hooks_retry_early; ++i)
    r.on_attempt(told("x" + std::to_string(i), state::succeeded));
  r.on_attempt(told("a", state::succeeded));
  EXPECT_FALSE(r.on_answer(requeued({"a"}), t).over);
}

}  // namespace
}  // namespace gate::hooks
