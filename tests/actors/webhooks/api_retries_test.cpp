// API: calls that have dead letters attempted again, and wait for what becomes of them.
#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "tests/actors/webhooks/api_stage.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using webhook::state;

struct api_retries : ::testing::Test, api_stage {
  std::string hook = make_webhook();
  std::string one = id_of(1), two = id_of(2), three = id_of(3);

  static std::string id_of(int n) {
    auto out = std::string("dlv_01ARYZ6S41TSV4RRFFQ69G0000");
    out.back() = static_cast<char>('0' + n);
    return out;
  }
  void add(const std::string& id, state status = state::dead) {
    it->books.add("acme", hook, id, status);
  }
  receipt_ptr retry(const std::string& id) {
    return post("/webhook-deliveries/dlq/" + id + "/retry");
  }
  static std::string counts(int retried, int succeeded, int failed) {
    return R"({"retried":)" + std::to_string(retried) + R"(,"succeeded":)" +
           std::to_string(succeeded) + R"(,"failed":)" + std::to_string(failed) + "}";
  }
};

TEST_F(api_retries, wait_for_all_of_a_webhook) {
  add(one);
  add(two);
  add(three, state::succeeded);
  const auto r = retry(hook);
  EXPECT_FALSE(r->done());
  ASSERT_EQ(it->followed.size(), 1U);
  EXPECT_EQ(it->followed[0].webhook, hook);
  ASSERT_EQ(it->due.size(), 1U);
  EXPECT_EQ(it->due[0].organization, "acme");
  const auto number = it->followed[0].number;
  attempt(number + 7, one, state::succeeded);
  attempt(number, one, state::succeeded);
  EXPECT_FALSE(r->done());
  attempt(number, two, state::dead);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, counts(2, 1, 1));
  EXPECT_EQ(it->unfollowed, std::vector{number});
  attempt(number, two, state::dead);
  advance(limits::hooks_retry_wait);
  EXPECT_EQ(r->misuse, lines{});
}

TEST_F(api_retries, of_one_of_them) {
  add(one);
  add(two);
  const auto r = retry(two);
  ASSERT_EQ(it->followed.size(), 1U);
  EXPECT_EQ(it->books.find("acme", one)->it.status, state::dead);
  attempt(it->followed[0].number, two, state::succeeded);
  EXPECT_EQ(r->body, counts(1, 1, 0));
}

TEST_F(api_retries, in_many_steps) {
  it->books.step = 1;
  add(one);
  add(two);
  add(three);
  const auto r = retry(hook);
  const auto number = it->followed.at(0).number;
  for (const auto& id : {one, two, three}) attempt(number, id, state::succeeded);
  EXPECT_EQ(r->body, counts(3, 3, 0));
}

TEST_F(api_retries, of_nothing) {
  EXPECT_EQ(retry(hook)->body, counts(0, 0, 0));
  EXPECT_TRUE(it->due.empty());
  EXPECT_EQ(it->unfollowed.size(), 1U);
}

TEST_F(api_retries, are_refused_before_anything_is_requeued) {
  add(one, state::failed);
  add(two);
  EXPECT_EQ(retry(one)->status, 409);
  EXPECT_EQ(retry(id_of(9))->status, 404);
  EXPECT_EQ(retry("hook_01ARYZ6S41TSV4RRFFQ69G5FAV")->status, 404);
  EXPECT_EQ(retry("x")->status, 404);
  call(verb::patch, "/webhooks/" + hook, R"({"enabled":false})");
  EXPECT_EQ(retry(hook)->status, 409);
  EXPECT_EQ(retry(two)->status, 409);
  EXPECT_EQ(it->books.find("acme", two)->it.status, state::dead);
  EXPECT_TRUE(it->followed.empty());
}

TEST_F(api_retries, end_in_time) {
  add(one);
  add(two);
  const auto r = retry(hook);
  attempt(it->followed.at(0).number, two, state::dead);
  advance(limits::hooks_retry_wait - 1ms);
  EXPECT_FALSE(r->done());
  advance(1ms);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, counts(2, 0, 1));
  EXPECT_EQ(it->unfollowed.size(), 1U);
}

TEST_F(api_retries, are_so_many_at_a_time) {
  add(one);
  std::vector<receipt_ptr> all;
  it->silent = true;
  for (std::size_t i = 0; i < limits::hooks_retries; ++i) all.push_back(retry(hook));
  const auto more = retry(hook);
  EXPECT_EQ(more->status, 503);
  EXPECT_FALSE(more->header("retry-after").empty());
  leave(all.back());
  EXPECT_FALSE(retry(hook)->done()) << "a place is free";
}

TEST_F(api_retries, of_a_client_that_left_are_due_all_the_same) {
  add(one);
  const auto r = retry(hook);
  ASSERT_EQ(it->followed.size(), 1U);
  EXPECT_EQ(it->due.size(), 1U);
  leave(r);
  EXPECT_EQ(it->unfollowed.size(), 1U);
  attempt(it->followed[0].number, one, state::succeeded);
  EXPECT_EQ(r->endings, 0);
}

TEST_F(api_retries, that_nobody_waits_for_tell_what_they_requeued) {
  add(one);
  it->silent = true;
  const auto r = retry(hook);
  hold(true);
  answer();  // the webhook, and what is asked then
  hold(false);
  while (it->followed.empty()) ASSERT_TRUE(step());
  leave(r);
  EXPECT_EQ(it->books.find("acme", one)->it.status, state::failed);
  ASSERT_EQ(it->due.size(), 1U);
  EXPECT_EQ(it->due[0].webhook, hook);
  EXPECT_EQ(it->due[0].organization, "acme");
}

TEST_F(api_retries, follow_anew_whoever_delivers_now) {
  add(one);
  const auto r = retry(hook);
  lose_dispatch();
  EXPECT_FALSE(r->done());
  start_dispatch();
  ASSERT_EQ(it->followed.size(), 2U);
  EXPECT_NE(it->followed[0].number, it->followed[1].number) << "numbers are not used again";
  EXPECT_EQ(it->followed[1].webhook, hook);
  attempt(it->followed[0].number, one, state::dead);
  EXPECT_FALSE(r->done());
  attempt(it->followed[1].number, one, state::succeeded);
  EXPECT_EQ(r->body, counts(1, 1, 0));
}

TEST_F(api_retries, end_with_the_ledger_and_with_the_service) {
  add(one);
  it->silent = true;
  const auto r = retry(hook);
  lose_ledger();
  EXPECT_EQ(r->status, 503);
  it->silent = false;
  start_ledger();
  const auto waits = retry(hook);
  EXPECT_FALSE(waits->done());
  stop();
  EXPECT_EQ(waits->status, 200);
  EXPECT_EQ(waits->body, counts(1, 0, 0));
  EXPECT_EQ(it->unfollowed.size(), 1U);
}

}  // namespace
}  // namespace gate::hooks
