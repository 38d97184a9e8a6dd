// UPSTREAM SESSION in front of BUDGET.
#include "actors/upstream/charged_ahead.hpp"
#include "actors/upstream/prepaid.hpp"
#include "tests/support/upstream_stage.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

TEST(upstream_budget, is_asked_for_what_has_a_price_and_is_about_to_be_sent) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_TRUE(s.heard().charges.empty());
  s.call(2, 1, true);
  EXPECT_EQ(s.heard().charges.size(), 1U);
  EXPECT_EQ(s.server().count("tools/call"), 1U);
  s.pay(0, true);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 1U);
}

TEST(upstream_budget, refuses) {
  upstream_stage s({.budget = true, .breaker = true, .budget_waits = true});
  s.call(1, 1, true);
  s.pay(0, false);
  EXPECT_NE(s.refused(1).find("budget exhausted"), std::string::npos);
  EXPECT_EQ(s.heard().answers.at(0).upstream_calls, 0U);
  EXPECT_EQ(s.server().count("tools/call"), 0U);
  s.list(1, true);
  s.pay(1, false);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_FALSE(s.heard().lists[0].items);
  EXPECT_TRUE(s.heard().ends.empty()) << "BREAKER has nothing to learn of it";
}

TEST(upstream_budget, is_not_asked_before_there_is_a_connection) {
  upstream_stage s({.budget = true});
  s.cut_off("a");
  s.call(1, 1, true);
  EXPECT_EQ(s.how(1), "connect failed");
  EXPECT_TRUE(s.heard().charges.empty()) << "a failed connect spends nothing";
}

TEST(upstream_budget, is_asked_for_the_first_page_of_a_list_only) {
  upstream_stage s({.budget = true});
  s.server().page_size = 1;
  s.server().tools.push_back(R"({"name":"two"})");
  s.list(1, true);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_EQ(s.server().count("tools/list"), 2U);
  EXPECT_EQ(s.heard().charges.size(), 1U);
}

TEST(upstream_budget, a_list_whose_second_page_can_not_be_had_has_cost_its_first) {
  upstream_stage s({.budget = true});
  s.server().next("tools/list", reply::result(R"({"tools":[],"nextCursor":"2"})"));
  s.server().next("tools/list", reply::failure(fetch_end::connect_failed));
  s.list(1, true);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_FALSE(s.heard().lists[0].items);
  EXPECT_EQ(s.server().count("tools/list"), 2U);
  EXPECT_EQ(s.heard().charges.size(), 1U);
  EXPECT_EQ(s.heard().refunds, 0U);
}

TEST(upstream_budget, a_list_that_is_not_offered_costs_nothing) {
  upstream_stage s({.budget = true});
  s.server().capabilities = "{}";
  s.list(1, true);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_TRUE(s.heard().lists[0].items);
  EXPECT_TRUE(s.heard().charges.empty());
}

TEST(upstream_budget, each_attempt_that_is_sent_costs) {
  upstream_stage s({.budget = true});
  s.call(1, 1, true);
  s.server().forget_sessions();
  s.call(2, 1, true);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 2U);
  EXPECT_EQ(s.heard().charges.size(), 3U);
}

TEST(upstream_budget, a_refusal_of_the_second_attempt_is_an_answer) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.pay(0, true);
  s.server().forget_sessions();
  s.call(2, 1, true);
  s.pay(1, true);
  EXPECT_EQ(s.how(2), "nothing");
  s.pay(2, false);
  EXPECT_EQ(s.how(2), "refused");
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 1U);
}

TEST(upstream_budget, what_waits_can_be_cancelled) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.cancel(1);
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.server().count("tools/call"), 0U);
}

TEST(upstream_budget, what_waits_has_its_deadline) {
  upstream_stage s({.budget = true, .breaker = true, .budget_waits = true});
  s.call(1, 1, true);
  s.advance(61s);
  EXPECT_EQ(s.how(1), "timed out");
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_EQ(s.server().count("tools/call"), 0U);
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_budget, the_session_may_be_lost_meanwhile) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.server().forget_sessions();
  s.call(2);  // finds out
  EXPECT_EQ(s.how(2), "a result");
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.heard().charges.size(), 1U);
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 1U);
}

TEST(upstream_budget, the_session_may_be_closed_meanwhile) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.server().next("tools/call", reply::http(404));
  s.server().always("initialize", reply::silence());
  s.call(2);  // loses the session, and waits for the next
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.server().count("tools/call"), 1U);
  s.advance(61s);
  EXPECT_EQ(s.how(1), "timed out");
}

TEST(upstream_budget, a_client_that_leaves_waits_for_it) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.tell(s.it(), client_ended{1, true});
  EXPECT_EQ(s.cast("bridged session").size(), 1U);
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_TRUE(s.cast("bridged session").empty());
}

TEST(upstream_budget, a_client_that_ends_does_not) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.tell(s.it(), client_ended{1, false});
  EXPECT_TRUE(s.cast("bridged session").empty());
  EXPECT_EQ(s.how(1), "nothing");
}

TEST(upstream_budget, one_that_crashed_has_agreed) {
  upstream_stage s({.budget = true, .budget_waits = true});
  s.call(1, 1, true);
  s.tell(s.it(), replaced<budget_handle>{});
  EXPECT_EQ(s.how(1), "a result");
  s.call(2, 1, true);
  EXPECT_EQ(s.how(2), "a result");
  s.tell(s.it(), replaced<budget_handle>{s.guards().budget});
  s.call(3, 1, true);
  EXPECT_EQ(s.how(3), "nothing");
  EXPECT_EQ(s.heard().charges.size(), 2U);
}

// --- what is charged together with the upstream's limit ------------------------------------------

upstream_options both() {
  return {.upstream = R"({"id":"a","url":"http://a.test/mcp","rateLimit":{"requestsPerMinute":5}})",
          .limiter = true,
          .budget = true,
          .breaker = true,
          .limiter_waits = true,
          .budget_waits = true};
}

TEST(upstream_budget, that_has_answered_with_the_limit_is_not_asked_again) {
  upstream_stage s(both());
  s.call(1, 1, true);
  s.list(7, true);
  ASSERT_EQ(s.heard().admissions.size(), 2U);
  EXPECT_TRUE(s.heard().admissions[0].costs);
  EXPECT_TRUE(s.heard().admissions[1].costs);
  s.admit_for(0, true);
  s.admit_for(1, true);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.heard().lists.size(), 1U);
  EXPECT_TRUE(s.heard().charges.empty());
  EXPECT_EQ(s.heard().refunds, 0U);
  s.server().forget_sessions();
  s.call(2, 1, true);
  s.admit_for(2, true);
  s.pay(0, true);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(s.heard().charges.size(), 1U) << "of the second attempt";
}

TEST(upstream_budget, that_has_refused_with_the_limit_refuses_when_the_call_would_be_sent) {
  upstream_stage s(both());
  s.call(1, 1, true);
  s.admit_for(0, false);
  EXPECT_NE(s.refused(1).find("budget exhausted"), std::string::npos);
  EXPECT_EQ(s.server().count("tools/call"), 0U);
  s.cut_off("a");
  s.call(2, 2, true);
  s.admit_for(1, false);
  EXPECT_EQ(s.how(2), "connect failed") << "as if it were asked behind the connection";
  EXPECT_TRUE(s.heard().charges.empty());
  EXPECT_EQ(s.heard().refunds, 0U);
}

TEST(upstream_budget, gets_back_what_was_charged_with_the_limit_and_not_sent) {
  upstream_stage s(both());
  s.cut_off("a");
  s.call(1, 1, true);
  s.admit_for(0, true);
  EXPECT_EQ(s.how(1), "connect failed");
  EXPECT_EQ(s.heard().refunds, 1U);
  s.call(2, 1, true);
  s.cancel(2);
  s.admit_for(1, true);
  EXPECT_EQ(s.heard().refunds, 2U) << "nobody waits for it";
  s.call(3, 1, true);
  s.circuit(breaker_state::open);
  s.admit_for(2, true);
  EXPECT_NE(s.refused(3).find("circuit open"), std::string::npos);
  EXPECT_EQ(s.heard().refunds, 3U);
}

TEST(upstream_budget, is_asked_with_the_limit_only_while_the_circuit_is_closed) {
  upstream_stage s(both());
  s.circuit(breaker_state::half_open);
  s.call(1, 1, true);
  s.circuit(breaker_state::open);
  s.call(2, 1, true);
  EXPECT_FALSE(s.heard().admissions.at(0).costs);
  EXPECT_FALSE(s.heard().admissions.at(1).costs);
}

TEST(upstream_budget, a_lease_is_told_of_a_refusal) {
  upstream_stage s({.budget = true, .breaker = true, .budget_waits = true});
  s.circuit(breaker_state::half_open);
  s.call(1, 1, true);
  s.lend(0, 9);
  s.pay(0, false);
  ASSERT_EQ(s.heard().ends.size(), 1U);
  EXPECT_EQ(s.heard().ends[0].how, verdict::neutral);
  EXPECT_EQ(s.heard().ends[0].lease, 9U);
}

}  // namespace
}  // namespace gate::sim
